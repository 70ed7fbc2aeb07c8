import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { kubeconfigEntries } from './kubeconfig-entries.ts';
import { mergeKubeconfig, NotAKubeconfig } from './merge-kubeconfig.ts';

const ENTRIES = kubeconfigEntries({
  targets: ['prod-1', 'prod-2'],
  server: new URL('https://fleet.example.com/base/'),
  authority: 'PEM',
  login: 'work',
  command: 'fleetshift',
  args: ['--context', 'work'],
  environment: { FLEETSHIFT_CONFIG: '/u/me/fleet.yaml' },
});

const BEFORE = `# mine
apiVersion: v1
kind: Config
current-context: home
clusters:
- name: home # the old one
  cluster: {server: "https://home", extensions: [{name: x}]}
- name: fleetshift-prod-1
  cluster: {server: "https://elsewhere"}
users: null
contexts:
- {name: home, context: {cluster: home, user: me}}
`;

interface Parsed {
  readonly 'current-context': string;
  readonly clusters: readonly { readonly name: string; readonly cluster: Readonly<Record<string, unknown>> }[];
  readonly users: readonly {
    readonly name: string;
    readonly user: { readonly exec: Readonly<Record<string, unknown>> };
  }[];
  readonly contexts: readonly { readonly name: string; readonly context: object }[];
}

test('into nothing: a whole kubeconfig, without a secret', () => {
  const text = mergeKubeconfig('', ENTRIES);
  const made = parse(text) as Parsed;
  assert.equal(made['current-context'], 'fleetshift-prod-1');
  assert.deepEqual(made.clusters[1], {
    name: 'fleetshift-prod-2',
    cluster: {
      server: 'https://fleet.example.com/base/targets/prod-2/api',
      'certificate-authority-data': Buffer.from('PEM').toString('base64'),
    },
  });
  const [user] = made.users;
  assert.equal(user?.name, 'fleetshift@work');
  assert.deepEqual(user?.user.exec['args'], ['auth', 'token', '--context', 'work']);
  assert.deepEqual(user?.user.exec['env'], [{ name: 'FLEETSHIFT_CONFIG', value: '/u/me/fleet.yaml' }]);
  assert.deepEqual(made.contexts[0]?.context, { cluster: 'fleetshift-prod-1', user: 'fleetshift@work' });
});

test('into one that is there: what is ours is replaced, all else stays as it is', () => {
  const text = mergeKubeconfig(BEFORE, ENTRIES);
  assert.match(text, /^# mine\n/);
  assert.match(text, /# the old one/);
  const made = parse(text) as Parsed;
  assert.equal(made['current-context'], 'home');
  assert.deepEqual(
    made.clusters.map(({ name }) => name),
    ['home', 'fleetshift-prod-1', 'fleetshift-prod-2'],
  );
  assert.deepEqual(made.clusters[0]?.cluster['extensions'], [{ name: 'x' }]);
  assert.match(String(made.clusters[1]?.cluster['server']), /fleet\.example\.com/);
});

test('again: nothing changes', () => {
  const once = mergeKubeconfig(BEFORE, ENTRIES);
  assert.equal(mergeKubeconfig(once, ENTRIES), once);
});

for (const [why, text] of [
  ['no YAML', 'a: ['],
  ['no object', '- a'],
  ['of another kind', 'kind: Secret'],
  ['with clusters that are no list', 'clusters: 1'],
] as const) {
  test(`into what is ${why}: not at all`, () => {
    assert.throws(() => mergeKubeconfig(text, ENTRIES), NotAKubeconfig);
  });
}
