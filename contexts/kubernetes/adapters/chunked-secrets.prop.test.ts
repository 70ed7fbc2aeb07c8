import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { CORE, createKubeClient, type KubeClient, type KubeObject, listAll } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { ChunkedSecrets } from './chunked-secrets.ts';

const signal = new AbortController().signal;
const namespace = 'agent';

describe('records as Secrets', () => {
  let server: FakeApiServer;
  let client: KubeClient;

  before(async () => {
    server = await FakeApiServer.start();
    client = createKubeClient({ config: server.config });
    server.put(CORE.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });

  after(async () => {
    await client.close();
    await server.close();
  });

  /** One agent; with `writes`, it stops after that many. */
  function agent(writes = Number.POSITIVE_INFINITY): ChunkedSecrets {
    let left = writes;
    const last = async <T>(write: () => Promise<T>): Promise<T> => {
      if ((left -= 1) < 0) throw new Error('the agent ended');
      return await write();
    };
    const dying = {
      list: client.list.bind(client),
      get: client.get.bind(client),
      create: async (...args: Parameters<KubeClient['create']>) => await last(async () => await client.create(...args)),
      replace: async (...args: Parameters<KubeClient['replace']>) =>
        await last(async () => await client.replace(...args)),
      delete: async (...args: Parameters<KubeClient['delete']>) => await last(async () => await client.delete(...args)),
    };
    // Records are written and read by these calls only.
    return new ChunkedSecrets({ client: dying as unknown as KubeClient, namespace, what: 'thing', maxBytes: 200 });
  }

  async function secrets(): Promise<readonly KubeObject[]> {
    return (await listAll(client, { resource: CORE.secrets, namespace }, {}, signal)).items;
  }

  async function empty(): Promise<void> {
    await client.deleteCollection({ resource: CORE.secrets, namespace }, {}, signal);
  }

  async function found(by: ChunkedSecrets): Promise<{ about: string; content: string } | undefined> {
    const [record] = await by.all(signal);
    return record && { about: record.about, content: await record.content() };
  }

  /** Random bytes hardly compress. */
  const content = fc.integer({ min: 0, max: 900 }).map((size) => randomBytes(size).toString('base64'));

  it('are the old one or the new one after a write that ended anywhere, and leave nothing behind in the end', async () => {
    await fc.assert(
      fc.asyncProperty(content, content, content, fc.nat({ max: 14 }), async (old, next, last, writes) => {
        await empty();
        await agent().save({ id: 'one', about: 'old', content: old }, signal);
        const dying = agent(writes);
        await dying.all(signal);
        const isDone = await dying.save({ id: 'one', about: 'next', content: next }, signal).then(
          () => true,
          () => false,
        );
        const third = agent();
        const now = await found(third);
        const isNext = now?.about === 'next';
        assert.deepEqual(now, isNext ? { about: 'next', content: next } : { about: 'old', content: old });
        if (isDone) assert.ok(isNext);
        await third.save({ id: 'one', about: 'last', content: last }, signal);
        assert.deepEqual(await found(agent()), { about: 'last', content: last });
        await third.remove('one', signal);
        assert.equal((await secrets()).length, 0);
      }),
      { numRuns: 40 },
    );
  });

  it('cost one request while they fit into one', async () => {
    await empty();
    const one = agent();
    await one.save({ id: 'one', about: '', content: 'small' }, signal);
    const before = server.requests.length;
    await one.save({ id: 'one', about: '', content: 'still small' }, signal);
    assert.equal(server.requests.length - before, 1);
  });

  it('are doubt, and not empty, when a part is missing or is not what was written', async () => {
    await empty();
    const text = randomBytes(600).toString('base64');
    await agent().save({ id: 'one', about: '', content: text }, signal);
    const parts = (await secrets()).map(({ metadata }) => metadata.name ?? '').sort();
    assert.ok(parts.length > 2);
    const [first = '', second = ''] = parts;
    const ref = { resource: CORE.secrets, namespace };
    const patch = { data: { payload: Buffer.from('other').toString('base64') } };
    await client.patch({ ...ref, name: second }, { type: 'merge', patch }, {}, signal);
    await assert.rejects(found(agent()), { code: 'RECORD_UNREADABLE' });
    await client.delete({ ...ref, name: second }, {}, signal);
    await assert.rejects(found(agent()), { code: 'RECORD_TORN' });
    await client.delete({ ...ref, name: first }, {}, signal);
    await assert.rejects(found(agent()), { code: 'RECORD_TORN' });
    const mended = agent();
    await mended.all(signal);
    await mended.save({ id: 'one', about: '', content: 'new' }, signal);
    assert.equal((await found(agent()))?.content, 'new');
  });
});
