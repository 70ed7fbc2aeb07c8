import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { CORE, createKubeClient, type KubeClient, type KubeObject } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { issuePeerCertificate } from '#kit/pki';
import { sleep } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { type Identity, IdentityStore, type KeyPair } from '#runtime/fleetlet/identity/identity-store';
import { IdentitySecret } from './identity-secret.ts';

const NAMESPACE = 'fleetshift-system';
const NAME = 'fleetshift-agent-identity';
const FACTS = { fleetlet: 'f', endpoints: { grpc: 'fleet.example:8702' } };

interface Stage {
  readonly server: FakeApiServer;
  readonly client: KubeClient;
  /** A separate Pod with its own folder. */
  readonly pod: () => Promise<{ readonly folder: string; readonly identity: IdentitySecret }>;
}

async function stage(t: TestContext): Promise<Stage> {
  const server = await FakeApiServer.start();
  const client = createKubeClient({ config: server.config });
  const root = await mkdtemp(join(tmpdir(), 'fleetshift-identity-'));
  t.after(async () => {
    await client.close();
    await server.close();
    await rm(root, { recursive: true });
  });
  server.put(CORE.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  let pods = 0;
  return {
    server,
    client,
    pod: async () => {
      pods += 1;
      const folder = join(root, `pod-${pods}`, 'data');
      const { log } = memoryLogger();
      return { folder, identity: new IdentitySecret({ client, namespace: NAMESPACE, name: NAME, folder, sleep, log }) };
    },
  };
}

function pairFor(key: KeyObject, begin = Date.now() - 1_000): KeyPair {
  const authority = { name: 'test', key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
  const [notBefore, notAfter] = [new Date(begin), new Date(Date.now() + 60_000)];
  const order = {
    name: 'f',
    uri: 'fleetshift://fleetlet/f',
    dnsName: 'f.example',
    publicKey: createPublicKey(key),
    notBefore,
    notAfter,
  };
  return { key, pem: issuePeerCertificate(authority, order), platform: FACTS };
}

async function until(isSo: () => boolean | Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await isSo())) await sleep(20, signal);
}

suite('who a fleetlet is, in a Secret', () => {
  test('the key is there before anybody enrols with it, and the next Pod has the same', async (t) => {
    const { pod } = await stage(t);
    const first = await pod();
    await first.identity.restore(t.signal);
    const second = await pod();
    await second.identity.restore(t.signal);
    assert.equal(new IdentityStore(second.folder).keyPem, new IdentityStore(first.folder).keyPem);
    assert.equal(statSync(join(second.folder, 'key.pem')).mode & 0o777, 0o600);
  });

  test('a Secret without contents, as the chart brings it, is filled and not replaced, once for all Pods', async (t) => {
    const { pod, client, server } = await stage(t);
    const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
    server.put(CORE.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: NAME, namespace: NAMESPACE, labels },
    });
    const pods = await Promise.all([pod(), pod(), pod()]);
    await Promise.all(pods.map(({ identity }) => identity.restore(t.signal)));
    const [key = '', ...others] = pods.map(({ folder }) => new IdentityStore(folder).keyPem);
    assert.deepEqual(new Set(others), new Set([key]));
    const ref = { resource: CORE.secrets, namespace: NAMESPACE, name: NAME };
    const { data, metadata } = await client.get<KubeObject & { readonly data?: Record<string, string> }>(ref, t.signal);
    assert.equal(Buffer.from(data?.['key.pem'] ?? '', 'base64').toString(), key);
    assert.deepEqual(metadata.labels, labels);
  });

  test('of two that start at the same time both have the key of one', async (t) => {
    const { pod } = await stage(t);
    const pods = await Promise.all([pod(), pod(), pod()]);
    await Promise.all(pods.map(({ identity }) => identity.restore(t.signal)));
    assert.equal(new Set(pods.map(({ folder }) => new IdentityStore(folder).keyPem)).size, 1);
  });

  test('what is enrolled and renewed comes into it, and to the next Pod', async (t) => {
    const { pod, client } = await stage(t);
    const { folder, identity } = await pod();
    await identity.restore(t.signal);
    const over = new AbortController();
    const running = identity.run(AbortSignal.any([over.signal, t.signal]));
    const store = new IdentityStore(folder);
    for (const secondsAgo of [20, 10]) {
      const { pem } = store.save(pairFor(store.key, Date.now() - 1_000 * secondsAgo));
      await until(async () => (await certificateIn(client, t.signal)) === pem, t.signal);
    }
    over.abort();
    await running;
    const next = await pod();
    await next.identity.restore(t.signal);
    const found = new IdentityStore(next.folder).identity;
    assert.equal(found?.pem, store.identity?.pem);
    assert.deepEqual(found?.platform, FACTS);
  });

  test('one that is deleted is not made again behind the back of whoever did it', async (t) => {
    const { pod, client, server } = await stage(t);
    const { folder, identity } = await pod();
    await identity.restore(t.signal);
    const ref = { resource: CORE.secrets, namespace: NAMESPACE, name: NAME };
    await client.delete(ref, {}, t.signal);
    const over = new AbortController();
    const running = identity.run(AbortSignal.any([over.signal, t.signal]));
    const store = new IdentityStore(folder);
    const asked = server.requests.length;
    store.save(pairFor(store.key));
    await until(() => server.requests.length > asked, t.signal);
    over.abort();
    await running;
    await assert.rejects(client.get(ref, t.signal));
  });

  suite('a renewal', () => {
    /** A Pod with a stored identity, and the pair it renews to. */
    async function enrolled(t: TestContext) {
      const world = await stage(t);
      const { folder, identity } = await world.pod();
      await identity.restore(t.signal);
      const store = new IdentityStore(folder);
      const own = store.save(pairFor(store.key, Date.now() - 10_000));
      await identity.keep(own, t.signal);
      return { ...world, store, own, identity };
    }

    /** The identity that a Pod started now would have. */
    async function nextPod({ pod }: Stage, signal: AbortSignal): Promise<Identity | undefined> {
      const { folder, identity } = await pod();
      await identity.restore(signal);
      return new IdentityStore(folder).identity;
    }

    test('is in the Secret with its key before it counts here, and until then the Secret has the old pair', async (t) => {
      const world = await enrolled(t);
      const { store, own, identity } = world;
      const pair = pairFor(store.nextKey());
      assert.equal((await nextPod(world, t.signal))?.pem, own.pem, 'an end before the answer');
      assert.equal(await identity.keep(pair, t.signal), pair);
      assert.equal(store.identity?.pem, own.pem);
      const next = await nextPod(world, t.signal);
      assert.deepEqual([next?.pem, next?.key.equals(pair.key)], [pair.pem, true], 'an end before it was used');
    });

    test('that cannot be kept is not one: it throws, and the old pair counts', async (t) => {
      const { store, own, identity, server } = await enrolled(t);
      server.tokens = new Set(['another']);
      await assert.rejects(identity.keep(pairFor(store.nextKey()), t.signal));
      server.tokens = undefined;
      assert.equal(store.identity?.pem, own.pem);
    });

    test('of two Pods at once is that of one, for both', async (t) => {
      const world = await enrolled(t);
      const other = await world.pod();
      await other.identity.restore(t.signal);
      const pairs = [pairFor(world.store.nextKey()), pairFor(new IdentityStore(other.folder).nextKey())] as const;
      const counting = await Promise.all([
        world.identity.keep(pairs[0], t.signal),
        other.identity.keep(pairs[1], t.signal),
      ]);
      assert.equal(counting[0].pem, counting[1].pem);
      const next = await nextPod(world, t.signal);
      assert.equal(next?.pem, counting[0].pem);
    });

    test('by another Pod is found, and one that is older than it does not come over it', async (t) => {
      const world = await enrolled(t);
      const { own, identity } = world;
      const other = await world.pod();
      await other.identity.restore(t.signal);
      assert.equal(await identity.newerThan(own, t.signal), undefined);
      const pair = pairFor(new IdentityStore(other.folder).nextKey());
      await other.identity.keep(pair, t.signal);
      assert.equal((await identity.newerThan(own, t.signal))?.pem, pair.pem);
      assert.equal((await identity.keep(own, t.signal)).pem, pair.pem);
      assert.equal((await nextPod(world, t.signal))?.pem, pair.pem);
    });

    test('goes on without the Secret where that was deleted', async (t) => {
      const { store, own, identity, client } = await enrolled(t);
      await client.delete({ resource: CORE.secrets, namespace: NAMESPACE, name: NAME }, {}, t.signal);
      assert.equal(await identity.newerThan(own, t.signal), undefined);
      const pair = pairFor(store.nextKey());
      assert.equal(await identity.keep(pair, t.signal), pair);
    });
  });

  test('a cluster that cannot be asked leaves nothing behind', async (t) => {
    const { pod, server } = await stage(t);
    server.tokens = new Set(['another']);
    const { folder, identity } = await pod();
    await assert.rejects(identity.restore(t.signal));
    assert.equal(existsSync(join(folder, 'key.pem')), false, 'or it would enrol with a key that nobody keeps');
  });
});

async function certificateIn(client: KubeClient, signal: AbortSignal): Promise<string> {
  const secret = await client.get({ resource: CORE.secrets, namespace: NAMESPACE, name: NAME }, signal);
  const { data } = secret as { data?: Record<string, string> };
  return Buffer.from(data?.['certificate.pem'] ?? '', 'base64').toString();
}
