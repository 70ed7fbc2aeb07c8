import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { ClusterObject } from '#contexts/cluster-resource-sets/adapters';
import { CORE, createKubeClient, isKubeError } from '#kit/kube';
import { InformerFactory, type ObjectKey } from '#kit/kube/cache';
import { FakeApiServer } from '#kit/kube/testing';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import { CrsProcessError } from '../crs-process-error.ts';
import type { Platform } from './workload-access.ts';
import { WorkloadClusters } from './workload-clusters.ts';

const PROBE_MS = 10_000;
const ONE: ClusterObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'one' },
};
const SECRET = { resource: CORE.secrets, namespace: 'default', name: 'one-kubeconfig' };

interface Kubeconfig {
  readonly token?: string;
  readonly server?: string;
}

/** A management cluster, a workload cluster that requires a token, and the clients between them. */
async function stage(t: TestContext, { platform }: { readonly platform?: Platform } = {}) {
  const management = await FakeApiServer.start();
  const workload = await FakeApiServer.start({ tokens: ['first'] });
  const client = createKubeClient({ config: management.config });
  const clock = new FakeClock();
  const { log } = memoryLogger();
  const informers = new InformerFactory({ client, log });
  const clusters = new WorkloadClusters({
    informers,
    userAgent: 'test',
    probeEveryMs: PROBE_MS,
    probeTimeoutMs: 2_000,
    clock,
    sleep: clock.sleep,
    log,
    ...(platform && { platform }),
  });
  const changed: ObjectKey[] = [];
  const changes = new Set<() => void>();
  clusters.onChange((key) => {
    changed.push(key);
    for (const tell of changes) tell();
  });
  const stop = new AbortController();
  const running = Promise.allSettled([informers.run(stop.signal), clusters.run(stop.signal)]);
  t.after(async () => {
    stop.abort();
    await running;
    await client.close();
    await Promise.all([management.close(), workload.close()]);
  });
  await clusters.synced(t.signal);
  const kubeconfig = ({ token = 'first', server = workload.url }: Kubeconfig = {}): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    });
  const secret = (text: string, metadata: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'cluster.x-k8s.io/secret',
    metadata: {
      namespace: 'default',
      name: 'one-kubeconfig',
      labels: { 'cluster.x-k8s.io/cluster-name': 'one' },
      ...metadata,
    },
    data: { value: Buffer.from(text).toString('base64') },
  });
  return {
    management,
    workload,
    clusters,
    client,
    clock,
    changed,
    kubeconfig,
    secret,
    /** Performs a change, and waits until it has been reported. */
    whenTold: async (act: () => unknown): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      changes.add(resolve);
      await act();
      await promise;
      changes.delete(resolve);
    },
    /** Advances time, with a turn for each probe. */
    passing: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += PROBE_MS) {
        await clock.untilSleeping();
        await clock.advance(PROBE_MS);
      }
    },
    ask: () => clusters.clientFor(ONE, t.signal),
  };
}

const down = (why: RegExp) => (error: unknown) =>
  error instanceof CrsProcessError && error.code === 'WORKLOAD_UNREACHABLE' && why.test(error.message);

suite('clients of workload clusters', () => {
  test('by the Secret of Cluster API; one is kept for all who ask', async (t) => {
    const { client, secret, kubeconfig, whenTold, ask, workload } = await stage(t);
    await whenTold(() => client.create(SECRET, secret(kubeconfig()), {}, t.signal));
    const [a, b] = await Promise.all([ask(), ask()]);
    assert.equal(a, b);
    await a.list({ resource: CORE.configMaps }, {}, t.signal);
    assert.equal(workload.requests.filter(({ path }) => path === '/version').length, 1);
  });

  for (const { why, content, metadata, says } of [
    {
      why: 'without the label it is no kubeconfig of a cluster',
      content: '{}',
      metadata: { labels: {} },
      says: /there is no Secret default\/one-kubeconfig with the label cluster.x-k8s.io\/cluster-name/,
    },
    { why: 'what is no kubeconfig', content: '{', metadata: {}, says: /Secret default\/one-kubeconfig/ },
    {
      why: 'one that would run a program here',
      content: JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
      metadata: {},
      says: /Secret default\/one-kubeconfig/,
    },
    { why: 'an empty one', content: '', metadata: {}, says: /has no key "value"/ },
  ]) {
    test(`refused: ${why}`, async (t) => {
      const { management, secret, ask } = await stage(t);
      management.put(CORE.secrets, secret(content, metadata));
      await untilSettled(() => assert.rejects(ask(), down(says)));
    });
  }

  test('a cluster that is not there is said so at once, and to the next without asking it', async (t) => {
    const { client, secret, kubeconfig, whenTold, ask } = await stage(t);
    const nowhere = kubeconfig({ server: 'http://127.0.0.1:1' });
    await whenTold(() => client.create(SECRET, secret(nowhere), {}, t.signal));
    await assert.rejects(ask(), down(/CONNECTION_REFUSED/));
    await assert.rejects(ask(), down(/CONNECTION_REFUSED/));
  });

  test('a new kubeconfig is told, and taken without a restart', async (t) => {
    const { client, secret, kubeconfig, whenTold, ask, workload, changed } = await stage(t);
    await whenTold(() => client.create(SECRET, secret(kubeconfig()), {}, t.signal));
    const old = await ask();
    workload.tokens = new Set(['first', 'second']);
    const { data } = secret(kubeconfig({ token: 'second' }));
    await whenTold(() => client.patch(SECRET, { type: 'merge', patch: { data } }, {}, t.signal));
    const renewed = await ask();
    assert.notEqual(renewed, old);
    workload.tokens = new Set(['second']);
    await renewed.list({ resource: CORE.configMaps }, {}, t.signal);
    assert.deepEqual(changed, [
      { namespace: 'default', name: 'one' },
      { namespace: 'default', name: 'one' },
    ]);
  });

  test('what is under way on the old one may end; then it is closed', async (t) => {
    const { client, secret, kubeconfig, whenTold, ask, workload, passing } = await stage(t);
    await whenTold(() => client.create(SECRET, secret(kubeconfig()), {}, t.signal));
    const old = await ask();
    workload.tokens = new Set(['first', 'second']);
    const { data } = secret(kubeconfig({ token: 'second' }));
    await whenTold(() => client.patch(SECRET, { type: 'merge', patch: { data } }, {}, t.signal));
    await ask();
    await old.list({ resource: CORE.configMaps }, {}, t.signal);
    await passing(60_000 + PROBE_MS);
    await untilSettled(async () => {
      await assert.rejects(old.list({ resource: CORE.configMaps }, {}, t.signal), (e) => isKubeError(e, 'CLOSED'));
    });
  });

  test('a revoked one is noticed with the first request that is refused', async (t) => {
    const { client, secret, kubeconfig, whenTold, ask, workload } = await stage(t);
    await whenTold(() => client.create(SECRET, secret(kubeconfig()), {}, t.signal));
    const kept = await ask();
    workload.tokens = new Set(['other']);
    await assert.rejects(kept.list({ resource: CORE.configMaps }, {}, t.signal), (error) =>
      isKubeError(error, 'UNAUTHORIZED'),
    );
    await untilSettled(() => assert.rejects(ask(), down(/does not accept our credentials/)));
  });

  test('a cluster that went away and comes back is told', async (t) => {
    const { client, secret, kubeconfig, whenTold, ask, workload, clock, passing, changed } = await stage(t);
    await whenTold(() => client.create(SECRET, secret(kubeconfig()), {}, t.signal));
    await ask();
    workload.inject({
      times: 5,
      matches: ({ path }) => path === '/version',
      action: { kind: 'status', httpStatus: 500, reason: 'InternalError' },
    });
    await passing(5 * PROBE_MS);
    await untilSettled(() => assert.rejects(ask(), down(/SERVER_ERROR/)));
    changed.length = 0;
    await clock.untilSleeping();
    await whenTold(() => clock.advance(PROBE_MS));
    await ask();
    assert.deepEqual(changed, [{ namespace: 'default', name: 'one' }]);
  });

  test('one that nobody asks for is closed', async (t) => {
    const { client, secret, kubeconfig, whenTold, ask, workload, passing } = await stage(t);
    await whenTold(() => client.create(SECRET, secret(kubeconfig()), {}, t.signal));
    const first = await ask();
    await passing(17 * 60_000);
    await untilSettled(() => assert.equal(workload.connections, 0));
    assert.notEqual(await ask(), first);
  });

  test('a deleted kubeconfig is the end of its client', async (t) => {
    const { client, secret, kubeconfig, whenTold, ask } = await stage(t);
    await whenTold(() => client.create(SECRET, secret(kubeconfig()), {}, t.signal));
    await ask();
    await whenTold(() => client.delete(SECRET, {}, t.signal));
    await assert.rejects(ask(), down(/there is no Secret/));
  });
});

suite('clusters that are targets', () => {
  const target = (name: string): ClusterObject => ({
    ...ONE,
    metadata: { ...ONE.metadata, annotations: { 'fleetshift.io/target': name } },
  });

  test('are reached through the tunnel of their target, with the token of the file', async (t) => {
    const seen: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
    const server = createServer((request, response) => {
      seen.push(request);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"gitVersion":"v1.36.3"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const folder = await mkdtemp(join(tmpdir(), 'crs-test-'));
    t.after(async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    });
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'fst_test');
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { clusters } = await stage(t, { platform: { url, tokenFile, caFile: undefined } });
    await clusters.clientFor(target('edge-1'), t.signal);
    assert.deepEqual(
      seen.map(({ url: path, headers }) => [path, headers.authorization]),
      [['/targets/edge-1/api/version', 'Bearer fst_test']],
    );
  });

  for (const { why, name, says } of [
    { why: 'without a platform', name: 'edge-1', says: /--platform-url is not set/ },
    { why: 'with a name that would lead elsewhere', name: '../admin', says: /is not a valid target name/ },
  ]) {
    test(`refused: ${why}`, async (t) => {
      const { clusters } = await stage(t);
      await assert.rejects(clusters.clientFor(target(name), t.signal), down(says));
    });
  }
});

/** Waits until it holds; the test's own timeout is the deadline. */
async function untilSettled(holds: () => unknown): Promise<void> {
  for (let left = 500; ; left -= 1) {
    try {
      await holds();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
