import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringify } from 'yaml';
import { createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import { type Cleaner, clustersUnavailable, ownCluster } from '#testing/clusters';
import { helmUnavailable } from '#testing/helm';
import type { AgentInstall, RbacMode } from './agent-install.ts';
import { eventually } from './testing/installed-cluster.ts';
import { anInstall } from './testing/installs.ts';
import { chartValues, renderChart } from './testing/render-chart.ts';
import { type Action, may, WHO, type Who } from './testing/rights.ts';

const OWN = 'fleetshift-system';
/** One namespace of `rbac.namespaces`, and one that is not. */
const [SHOP, OTHER] = ['shop', 'other'];
const RBAC = 'rbac.authorization.k8s.io';

const INSTALLS: Readonly<Record<RbacMode, Partial<AgentInstall>>> = {
  restricted: { rbac: 'restricted', apiProxy: true, namespaces: [SHOP] },
  namespaced: { rbac: 'namespaced', apiProxy: true, namespaces: [SHOP] },
  'cluster-admin': { rbac: 'cluster-admin', apiProxy: true },
};

const ALL: readonly Who[] = WHO;
const NONE: readonly Who[] = [];
const WRITERS: readonly Who[] = ['deployer', 'admin'];

interface Row {
  readonly what: string;
  readonly action: Action;
  readonly restricted: readonly Who[];
  readonly namespaced: readonly Who[];
}

const impersonate = (resource: string, name: string, more: Partial<Action> = {}): Action => {
  return { verb: 'impersonate', resource, name, ...more };
};
const tokenOf = (namespace: string): Action => {
  return { verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace, name: 'x' };
};
const secretsOf = (namespace: string): Action => ({ verb: 'get', resource: 'secrets', namespace });
const podsOf = (namespace: string): Action => ({ verb: 'create', resource: 'pods', namespace });
const both = (who: readonly Who[]) => ({ restricted: who, namespaced: who });

/** Subjects that may do it in the modes below `cluster-admin`; all others may not. */
const GRAPH: readonly Row[] = [
  // Impersonation.
  { what: 'be the shared caller', action: impersonate('users', 'fleetshift:caller'), ...both(['agent']) },
  { what: 'be a role of the platform', action: impersonate('groups', 'fleetshift:role:admin'), ...both(['agent']) },
  {
    what: 'name a person',
    action: impersonate('userextras', 'fleetshift:user:alice', {
      group: 'authentication.k8s.io',
      subresource: 'fleetshift.io/user',
    }),
    ...both(['agent']),
  },
  { what: 'be any user', action: impersonate('users', ''), ...both(NONE) },
  { what: 'be a user of the platform', action: impersonate('users', 'fleetshift:user:alice'), ...both(NONE) },
  { what: 'be a controller', action: impersonate('users', 'system:kube-controller-manager'), ...both(NONE) },
  { what: 'be system:masters', action: impersonate('groups', 'system:masters'), ...both(NONE) },
  { what: 'have any uid', action: impersonate('uids', 'x', { group: 'authentication.k8s.io' }), ...both(NONE) },
  {
    what: 'have any extra field',
    action: impersonate('userextras', 'x', { group: 'authentication.k8s.io', subresource: 'scopes' }),
    ...both(NONE),
  },
  {
    what: 'be an account of a system namespace',
    action: impersonate('serviceaccounts', 'default', { namespace: 'kube-system' }),
    ...both(NONE),
  },
  {
    what: 'be the agent',
    action: impersonate('serviceaccounts', 'fleetshift-agent', { namespace: OWN }),
    ...both(NONE),
  },
  // Service account tokens.
  { what: 'make a token of the agent', action: tokenOf(OWN), ...both(NONE) },
  { what: 'make tokens of system accounts', action: tokenOf('kube-system'), ...both(NONE) },
  { what: 'make tokens of accounts in its namespaces', action: tokenOf(SHOP), ...both(WRITERS) },
  // The agent's own namespace.
  { what: 'read Secrets of the agent', action: secretsOf(OWN), ...both(['agent']) },
  { what: 'run Pods beside the agent', action: podsOf(OWN), restricted: ['agent'], namespaced: NONE },
  {
    what: 'run commands in the agent',
    action: { verb: 'create', resource: 'pods', subresource: 'exec', namespace: OWN },
    ...both(NONE),
  },
  {
    what: 'change the settings of the agent',
    action: { verb: 'patch', resource: 'configmaps', namespace: OWN },
    restricted: ['agent'],
    namespaced: NONE,
  },
  // Other namespaces.
  { what: 'read Secrets in its namespaces', action: secretsOf(SHOP), ...both(['agent', ...WRITERS]) },
  { what: 'read Secrets elsewhere', action: secretsOf(OTHER), restricted: ['agent'], namespaced: NONE },
  {
    what: 'read Secrets everywhere',
    action: { verb: 'list', resource: 'secrets' },
    restricted: ['agent'],
    namespaced: NONE,
  },
  { what: 'run Pods in its namespaces', action: podsOf(SHOP), ...both(['agent', ...WRITERS]) },
  { what: 'run Pods elsewhere', action: podsOf(OTHER), restricted: ['agent'], namespaced: NONE },
  { what: 'run Pods of the system', action: podsOf('kube-system'), restricted: ['agent'], namespaced: NONE },
  { what: 'look in its namespaces', action: { verb: 'list', resource: 'pods', namespace: SHOP }, ...both(ALL) },
  {
    what: 'look everywhere',
    action: { verb: 'list', resource: 'pods' },
    restricted: ['agent', 'viewer'],
    namespaced: ['agent'],
  },
  // RBAC.
  {
    what: 'bind roles of the cluster',
    action: { verb: 'bind', group: RBAC, resource: 'clusterroles' },
    ...both(NONE),
  },
  {
    what: 'escalate roles',
    action: { verb: 'escalate', group: RBAC, resource: 'clusterroles' },
    ...both(NONE),
  },
  {
    what: 'write bindings of the cluster',
    action: { verb: 'create', group: RBAC, resource: 'clusterrolebindings' },
    ...both(NONE),
  },
  {
    what: 'write bindings in its namespaces, of no more than one has',
    action: { verb: 'create', group: RBAC, resource: 'rolebindings', namespace: SHOP },
    ...both(['admin']),
  },
  {
    what: 'write bindings beside the agent',
    action: { verb: 'create', group: RBAC, resource: 'rolebindings', namespace: OWN },
    ...both(NONE),
  },
  {
    what: 'sign certificates',
    action: {
      verb: 'update',
      group: 'certificates.k8s.io',
      resource: 'certificatesigningrequests',
      subresource: 'approval',
    },
    ...both(NONE),
  },
  { what: 'reach nodes', action: { verb: 'create', resource: 'nodes', subresource: 'proxy' }, ...both(NONE) },
];

const skip = (await clustersUnavailable('controllers')) ?? helmUnavailable();

describe('the rights that the chart gives', { skip }, () => {
  for (const mode of ['restricted', 'namespaced'] as const) {
    it(`end, with rbac.mode ${mode}, where the table says`, async (t) => {
      const kube = await installed(t, mode, t.signal);
      const found = await Promise.all(
        GRAPH.map(async ({ what, action }) => [what, await allowedTo(kube, action, t.signal)] as const),
      );
      assert.deepEqual(
        Object.fromEntries(found),
        Object.fromEntries(GRAPH.map((row) => [row.what, ALL.filter((who) => row[mode].includes(who))])),
      );
    });
  }

  it('are all, with rbac.mode cluster-admin, for the agent and for admins of the platform', async (t) => {
    const kube = await installed(t, 'cluster-admin', t.signal);
    for (const { what, action } of GRAPH) {
      const allowed = await allowedTo(kube, action, t.signal);
      assert.ok(allowed.includes('agent') && allowed.includes('admin'), what);
      assert.equal(allowed.includes('viewer'), action.verb === 'list' && action.resource === 'pods', what);
    }
    assert.equal(await may(kube, 'deployer', impersonate('users', 'system:admin'), t.signal), false);
    assert.equal(
      await may(kube, 'deployer', { verb: 'create', group: RBAC, resource: 'clusterrolebindings' }, t.signal),
      false,
    );
  });
});

async function allowedTo(kube: KubeClient, action: Action, signal: AbortSignal): Promise<readonly Who[]> {
  const answers = await Promise.all(ALL.map(async (who) => [who, await may(kube, who, action, signal)] as const));
  return answers.flatMap(([who, isAllowed]) => (isAllowed ? [who] : []));
}

/** Installs all objects of the chart, as Helm renders them, and waits for what Kubernetes derives from them. */
async function installed(t: Cleaner, mode: RbacMode, signal: AbortSignal): Promise<KubeClient> {
  const cluster = await ownCluster(t, { size: 'controllers', name: 'rights' }, signal);
  const namespaces = [OWN, SHOP, OTHER].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  const objects = await renderChart(chartValues(anInstall(INSTALLS[mode])), OWN);
  const input = [...namespaces, ...objects].map((object) => stringify(object)).join('---\n');
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
  const kube = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  t.after(() => kube.close());
  // Aggregated roles are filled in by a controller.
  const gathered: readonly (readonly [Who, Action])[] = [
    ['agent', podsOf(SHOP)],
    ['agent', { verb: 'list', resource: 'pods' }],
    ['viewer', { verb: 'list', resource: 'pods', namespace: SHOP }],
    ['deployer', podsOf(SHOP)],
    ['admin', { verb: 'create', group: RBAC, resource: 'rolebindings', namespace: SHOP }],
  ];
  await eventually(
    'the roles are filled in',
    async () => await Promise.all(gathered.map(([who, action]) => may(kube, who, action, signal))),
    (answers) => answers.every((isAllowed) => isAllowed),
  );
  return kube;
}
