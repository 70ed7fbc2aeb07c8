import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { CORE, createKubeClient, type KubeClient } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { issuePeerCertificate } from '#kit/pki';
import { sleep } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { IdentityStore } from '../fleetlet/identity/identity-store.ts';
import { IdentitySecret } from './identity-secret.ts';

const NAMESPACE = 'fleetshift-system';
const NAME = 'fleetshift-agent-identity';
const FACTS = { fleetlet: 'f', endpoints: { grpc: 'fleet.example:8702' } };

interface Stage {
  readonly server: FakeApiServer;
  readonly client: KubeClient;
  /** A Pod of its own, with a folder of its own. */
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

function issuedFor({ key }: IdentityStore): string {
  const authority = { name: 'test', key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
  const [notBefore, notAfter] = [new Date(Date.now() - 1_000), new Date(Date.now() + 60_000)];
  const order = {
    name: 'f',
    uri: 'fleetshift://fleetlet/f',
    dnsName: 'f.example',
    publicKey: createPublicKey(key),
    notBefore,
    notAfter,
  };
  return issuePeerCertificate(authority, order);
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
    for (const _ of ['enrolled', 'renewed']) {
      const pem = issuedFor(store);
      store.save(pem, FACTS);
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
    store.save(issuedFor(store), FACTS);
    await until(() => server.requests.some(({ method }) => method === 'PATCH'), t.signal);
    over.abort();
    await running;
    await assert.rejects(client.get(ref, t.signal));
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
