import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { bareEnvironment } from '#testing/bare-environment';
import { clustersUnavailable } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import type { KubectlOptions } from '../../testing/clusters/kubectl.ts';
import { findProgram } from '../../testing/clusters/programs.ts';
import { findHelm } from '../../testing/helm.ts';
import { logToStderr } from '../../testing/log-to-stderr.ts';
import { helmJourney } from './helm-journey.ts';
import { KubectlWorld, TARGET } from './kubectl-world.ts';

const skip = await clustersUnavailable('nodes');
const helm = skip === undefined ? await findHelm({ log: logToStderr }) : undefined;
const noHelm = helm === undefined ? 'there is no Helm, nor Go to build it with' : false;

const POD = (namespace: string) => `
apiVersion: v1
kind: Pod
metadata: {name: talker, namespace: ${namespace}, labels: {app: talker}}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: fleetshift
    command:
    - ${process.execPath}
    - -e
    - |
      let n = 0;
      setInterval(() => console.log('tick ' + n++), 200);
      process.stdin.on('data', (data) => console.log('heard ' + data));
      require('node:http').createServer((q, s) => s.end('from the pod')).listen(8080, '0.0.0.0');
    stdin: true
    ports: [{containerPort: 8080}]
`;

describe('kubectl through the platform', { skip }, () => {
  let world: KubectlWorld;
  let namespace: string;
  const inSpace = (...args: string[]): string[] => ['-n', namespace, ...args];
  before(async () => {
    world = await KubectlWorld.open(AbortSignal.timeout(PATIENCE_MS));
    namespace = `kubectl-${randomBytes(4).toString('hex')}`;
    await world.succeeds(['create', 'namespace', namespace]);
    await world.succeeds(['apply', '--server-side', '-f', '-'], { input: POD(namespace) });
  });
  after(async () => {
    await world.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await world.close();
  });

  it('looks: tables, discovery, explanations', async () => {
    assert.match(await world.succeeds(inSpace('get', 'pods', '-o', 'wide')), /^NAME +READY +STATUS .*NODE.*\ntalker /);
    assert.match(await world.succeeds(['api-resources']), /^deployments +deploy +apps\/v1 +true +Deployment$/m);
    assert.match(await world.succeeds(['explain', 'configmap.data']), /KIND: +ConfigMap/);
    assert.match(await world.succeeds(['version']), /Server Version: v1/);
    assert.match(await world.succeeds(['auth', 'whoami', '-o', 'json']), /fleetshift:serviceAccount:staff\/admin/);
  });

  it('changes: apply, diff, get -w, delete', async () => {
    const config = (value: string): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { value } });
    const over = new AbortController();
    let seen = '';
    const watching = world.kubectl(
      inSpace('get', 'configmaps', '-w', '-o', 'name', '--field-selector', 'metadata.name=settings'),
      {
        signal: over.signal,
        onStdout: (text) => void (seen += text),
      },
    );
    await world.succeeds(inSpace('apply', '--server-side', '-f', '-'), { input: config('one') });
    await eventually('the watch tells', () => seen.includes('configmap/settings'));
    over.abort();
    await watching;
    const diff = await world.kubectl(inSpace('diff', '--server-side', '-f', '-'), { input: config('two') });
    assert.equal(diff.code, 1, diff.stderr);
    assert.match(diff.stdout, /^-  value: one\n\+  value: two$/m);
    await world.succeeds(inSpace('delete', 'configmap', 'settings'));
    assert.match((await world.kubectl(inSpace('get', 'configmap', 'settings'))).stderr, /NotFound/);
  });

  /** Follows the output for a while; returns the first tick. */
  const ticksOf = async (args: readonly string[], options: KubectlOptions = {}): Promise<number> => {
    const over = new AbortController();
    let seen = '';
    const following = world.kubectl(args, {
      ...options,
      signal: over.signal,
      onStdout: (text) => void (seen += text),
    });
    const ticks = (): RegExpExecArray[] => [...seen.matchAll(/^tick (\d+)$/gm)];
    await eventually('it ticks', () => ticks().length > 0);
    const before = ticks().length;
    await eventually('it goes on', () => ticks().length > before + 2);
    over.abort();
    await following;
    return Number(ticks()[0]?.[1]);
  };

  it('waits, and follows logs', async () => {
    await world.succeeds(inSpace('wait', '--for=condition=Ready', 'pod/talker', '--timeout=50s'));
    assert.equal(await ticksOf(inSpace('logs', '-f', 'talker')), 0, 'from the first');
  });

  it('attaches to what runs, over WebSockets and SPDY', async () => {
    const first = await ticksOf(inSpace('attach', 'talker'));
    assert.ok(first > 0, 'from then on');
    const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' };
    assert.ok((await ticksOf(inSpace('attach', 'talker', '-c', 'main'), { env })) > first);
  });

  it('reaches into the pod: exec, over WebSockets and SPDY, with and without a terminal', async () => {
    // Simulated nodes do not pass on the end of stdin, so the command is told the length.
    for (const input of ['through and back', randomBytes(2 * 1024 * 1024).toString('hex')]) {
      const head = inSpace('exec', '-i', 'talker', '--', 'head', '-c', String(input.length));
      assert.ok((await world.succeeds(head, { input })) === input);
    }
    const failing = await world.kubectl(inSpace('exec', 'talker', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7'));
    assert.deepEqual([failing.code === 0, failing.stdout], [false, 'out\n']);
    assert.match(failing.stderr, /^err\n.*exit status 7/s);
    const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' };
    assert.equal(await world.succeeds(inSpace('exec', 'talker', '--', 'echo', 'by SPDY'), { env }), 'by SPDY\n');
    const kubectl = await findProgram('kubectl', { log: () => {}, env: process.env });
    // Simulated nodes lose terminal output written just before the command ends.
    const typed = `${kubectl} -n ${namespace} exec -it talker -- sh -c 'test -t 0 && echo a terminal; sleep 0.5'`;
    const child = spawn('script', ['-qec', typed, '/dev/null'], {
      env: bareEnvironment(world.folder, { KUBECONFIG: world.kubeconfigOf('admin') }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (text) => void (said += String(text)));
    const [code] = (await once(child, 'close')) as [number];
    assert.deepEqual([code, said.trim()], [0, 'a terminal']);
  });

  it('copies files there and back', async () => {
    const [there, back] = [join(world.folder, 'there.bin'), join(world.folder, 'back.bin')];
    // The length makes the archive whole records, because the tar at the other end does not see the end of its input.
    const content = randomBytes(103 * 10_240 - 1_536);
    await writeFile(join(world.folder, 'sent.bin'), content);
    const over = new AbortController();
    const copying = world.kubectl(inSpace('cp', 'sent.bin', `talker:${there}`), { signal: over.signal });
    const arrived = async (): Promise<boolean> => Buffer.compare(await readFile(there), content) === 0;
    await eventually('it is there', arrived);
    over.abort();
    await copying;
    await world.succeeds(inSpace('cp', `talker:${there}`, 'back.bin'));
    assert.equal(Buffer.compare(await readFile(back), content), 0);
    await Promise.all([there, back].map((file) => rm(file)));
  });

  it('forwards ports', async () => {
    const over = new AbortController();
    let seen = '';
    const forwarding = world.kubectl(inSpace('port-forward', 'pod/talker', ':8080'), {
      signal: over.signal,
      onStdout: (text) => void (seen += text),
    });
    const [, port] = await eventually('it listens', () => /127\.0\.0\.1:(\d+) -> 8080/.exec(seen) ?? false);
    for (let count = 0; count < 3; count += 1) {
      const [answer] = (await once(get(`http://127.0.0.1:${port}/`, { agent: false }), 'response')) as [
        IncomingMessage,
      ];
      let text = '';
      for await (const part of answer) text += String(part);
      assert.equal(text, 'from the pod');
    }
    over.abort();
    await forwarding;
  });

  it('has Helm install, upgrade, roll back and uninstall', { skip: noHelm }, async () => {
    await helmJourney(world, helm ?? '');
  });

  it('is told what it may not do, in the words of Kubernetes', async () => {
    const fails = async (as: 'viewer' | 'deployer' | 'ci' | 'stranger', ...args: string[]): Promise<string> => {
      const { code, stderr } = await world.kubectl(args, { as });
      assert.notEqual(code, 0, args.join(' '));
      return stderr;
    };
    assert.match(await world.succeeds(inSpace('get', 'pods'), { as: 'viewer' }), /^talker /m);
    assert.equal((await world.succeeds(['auth', 'can-i', 'delete', 'pods'], { as: 'deployer' })).trim(), 'yes');
    assert.match(await fails('ci', ...inSpace('get', 'secrets')), /targets\.proxyRead/);
    assert.match(await fails('ci', ...inSpace('delete', 'pod', 'talker')), /targets\.proxyWrite/);
    assert.match(await fails('viewer', ...inSpace('delete', 'pod', 'talker')), /targets\.proxyWrite/);
    assert.match(await fails('viewer', ...inSpace('exec', 'talker', '--', 'true')), /targets\.proxyWrite/);
    assert.match(await fails('viewer', ...inSpace('attach', 'talker')), /targets\.proxyWrite/);
    assert.match(
      await fails('viewer', ...inSpace('get', 'secrets')),
      /User "fleetshift:serviceAccount:staff\/viewer" cannot list/,
    );
    await world.succeeds(inSpace('create', 'configmap', 'made'), { as: 'deployer' });
    assert.match(
      await fails('deployer', 'create', 'namespace', `${namespace}-2`),
      /cannot create resource "namespaces"/,
    );
    assert.match(await fails('stranger', 'get', 'pods'), new RegExp(`There is no target ${TARGET}`));
    assert.match(await fails('viewer', 'get', 'pods', '--as', 'system:admin'), /Impersonation is not supported/);
  });

  it('is on record', async () => {
    const answer = await world.platform.request('/v1/audit?pageSize=1000');
    const { items } = (await answer.json()) as { readonly items: readonly Readonly<Record<string, string>>[] };
    const own = items.filter(({ operation }) => operation === 'proxyTarget');
    const paths = own.map(({ method, resource }) => `${method} ${resource}`);
    const at = `/v1/targets/${TARGET}/api/api/v1/namespaces/${namespace}`;
    assert.ok(paths.includes(`DELETE ${at}/configmaps/settings`), paths.join('\n'));
    for (const into of ['exec?command=', 'attach?']) {
      assert.ok(
        paths.some((path) => path.startsWith(`GET ${at}/pods/talker/${into}`)),
        paths.join('\n'),
      );
    }
    const refused = own
      .filter(({ outcome }) => outcome === 'denied')
      .map(({ method, resource }) => `${method} ${resource}`);
    assert.ok(
      refused.includes(`POST /v1/targets/${TARGET}/api/api/v1/namespaces`),
      'what the cluster refused is refused',
    );
  });

  it('survives a cut: the watch ends, the next command is told why, and then all goes on', async () => {
    let seen = '';
    const watching = world.kubectl(inSpace('get', 'pods', '-w', '-o', 'name'), {
      onStdout: (text) => void (seen += text),
    });
    await eventually('the watch tells', () => seen.includes('pod/talker'));
    await world.agent.kill();
    await watching;
    const told = await world.kubectl(['get', '--raw', '/version']);
    assert.equal(told.code, 1);
    assert.match(told.stderr, /ServiceUnavailable.*The target prod-1 cannot be reached right now/s);
    assert.doesNotMatch(told.stderr, /did not call back/, 'the platform does not wait for an agent that died');
    await world.agent.start();
    await eventually('it is back', async () => (await world.kubectl(inSpace('get', 'pods'))).code === 0);
  });

  it('has 200 watches at once', async () => {
    const ca = await readFile(world.authorityFile);
    const headers = { authorization: `Bearer ${world.tokens.viewer}` };
    const over = new AbortController();
    const open = async (): Promise<IncomingMessage> => {
      const url = `${world.apiUrl}/api/v1/namespaces/${namespace}/configmaps?watch=true`;
      const asked = request(url, { ca, headers, agent: false, signal: over.signal }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      assert.equal(answer.statusCode, 200);
      return answer.on('error', () => {});
    };
    const watches = await Promise.all(Array.from({ length: 200 }, open));
    const told = watches.map(async (watch) => {
      let text = '';
      for await (const part of watch) {
        text += String(part);
        if (text.includes('"name":"news"')) return true;
      }
      return false;
    });
    await world.succeeds(inSpace('create', 'configmap', 'news'));
    assert.deepEqual(new Set(await Promise.all(told)), new Set([true]));
    over.abort();
  });

  it('finds its way by a generated kubeconfig, which holds no token', async () => {
    const file = join(world.folder, 'generated.yaml');
    await world.cli('viewer', 'kubeconfig', 'generate', TARGET, '--output', file, '--command', world.program);
    const text = await readFile(file, 'utf8');
    assert.ok(!text.includes(world.tokens.viewer));
    const found = await world.kubectlWith(file, ['--context', `fleetshift-${TARGET}`, ...inSpace('get', 'pods')]);
    assert.equal(found.code, 0, found.stderr);
    assert.match(found.stdout, /^talker /m);
    const all = await world.cli('viewer', 'kubeconfig', 'generate', '--all');
    assert.match(all, new RegExp(`^current-context: fleetshift-${TARGET}$`, 'm'));
  });
});
