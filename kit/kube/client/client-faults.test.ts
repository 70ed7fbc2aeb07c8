import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '#testing/fake-clock';
import { configMap } from '../testing/contract/stage.ts';
import type { FakeApiServer } from '../testing/fake-api-server.ts';
import { fakeClient, PROTOCOLS } from '../testing/fake-client.ts';
import { waitFor } from '../testing/wait-for.ts';
import { CORE } from './core-resources.ts';
import { createKubeClient } from './create-kube-client.ts';
import type { KubeObject } from './kube-object.ts';
import { listAll } from './list-all.ts';

const signal = new AbortController().signal;
const maps = { resource: CORE.configMaps, namespace: 'default' };
const one = { ...maps, name: 'one' };
const put = (fake: FakeApiServer, name: string, data: Record<string, string> = {}) =>
  fake.put(CORE.configMaps, configMap(name, data, { namespace: 'default' }));
const stuck = () => new Promise<void>(() => {});

describe('a server that asks to come later', () => {
  for (const httpStatus of [429, 503]) {
    it(`is asked again after ${httpStatus} with Retry-After`, async (t) => {
      const clock = new FakeClock();
      const { fake, client } = await fakeClient(t, {}, { clock, sleep: clock.sleep, random: () => 0.5 });
      fake.inject({ action: { kind: 'status', httpStatus, retryAfterSeconds: 7 }, times: 2 });
      const answer = client.create(maps, configMap('one'), {}, signal);
      for (const tries of [1, 2]) {
        await clock.untilSleeping();
        assert.equal(fake.requests.length, tries);
        await clock.advance(10_499);
        assert.equal(fake.requests.length, tries, 'spread, so that not all come back at once');
        await clock.advance(1);
      }
      assert.equal((await answer).metadata.name, 'one');
    });
  }

  for (const { why, httpStatus } of [
    { why: 'when it does not say for how long', httpStatus: 429 },
    { why: 'when it fails', httpStatus: 500 },
  ]) {
    it(`is not asked again ${why}`, async (t) => {
      const { fake, client } = await fakeClient(t);
      fake.inject({ action: { kind: 'status', httpStatus }, times: 5 });
      await assert.rejects(client.list(maps, {}, signal), { code: /TOO_MANY_REQUESTS|SERVER_ERROR/ });
      assert.equal(fake.requests.length, 1);
    });
  }

  it('is not asked forever', async (t) => {
    const { fake, client } = await fakeClient(t, {}, { sleep: async () => {} });
    fake.inject({ action: { kind: 'status', httpStatus: 429, retryAfterSeconds: 1 }, times: 1000 });
    await assert.rejects(client.list(maps, {}, signal), { code: 'TOO_MANY_REQUESTS' });
    assert.equal(fake.requests.length, 10);
  });

  it('is waited for no longer than the caller likes', async (t) => {
    const clock = new FakeClock();
    const { fake, client } = await fakeClient(t, {}, { clock, sleep: clock.sleep });
    fake.inject({ action: { kind: 'status', httpStatus: 429, retryAfterSeconds: 7 } });
    const stop = new AbortController();
    const answer = client.list(maps, {}, stop.signal);
    await clock.untilSleeping();
    const reason = new Error('enough');
    stop.abort(reason);
    await assert.rejects(answer, reason);
  });

  it('is not waited for in an eviction, which a disruption budget holds up', async (t) => {
    const { fake, client } = await fakeClient(t);
    fake.inject({ action: { kind: 'status', httpStatus: 429, retryAfterSeconds: 10 } });
    const pod = { resource: CORE.pods, namespace: 'default', name: 'one' };
    await assert.rejects(client.evict(pod, {}, signal), { code: 'TOO_MANY_REQUESTS' });
    assert.equal(fake.requests.length, 1);
  });
});

for (const [protocol, server] of Object.entries(PROTOCOLS)) {
  describe(`a connection that fails, ${protocol}`, () => {
    it('ends at the deadline when the server is stuck', async (t) => {
      const { fake, client } = await fakeClient(t, server, { limits: { timeoutMs: 200 } });
      fake.inject({ action: { kind: 'wait', until: stuck() }, times: 10 });
      await assert.rejects(client.get(one, signal), { code: 'TIMED_OUT' });
      await assert.rejects(client.create(maps, configMap('one'), {}, signal), { code: 'OUTCOME_UNKNOWN' });
      await assert.rejects(Array.fromAsync(client.watch(maps, { resourceVersion: '100' }, signal)), {
        code: 'TIMED_OUT',
      });
      fake.faults.clear();
      // On a busy machine an answer may take longer than that deadline.
      await waitFor(() => client.list(maps, {}, signal), signal);
    });

    it('says that an answer broke off, and that a write may have been done', async (t) => {
      const { fake, client } = await fakeClient(t, server);
      for (const afterBytes of [0, 1, 30]) {
        fake.inject({ action: { kind: 'cut', afterBytes } });
        await assert.rejects(client.list(maps, {}, signal), { code: 'CONNECTION_LOST' });
        fake.inject({ action: { kind: 'cut', afterBytes } });
        await assert.rejects(client.create(maps, configMap(`c-${afterBytes}`), {}, signal), {
          code: 'OUTCOME_UNKNOWN',
        });
        assert.equal((await client.get({ ...maps, name: `c-${afterBytes}` }, signal)).metadata.name, `c-${afterBytes}`);
      }
    });

    it('can be resumed after a watch was cut at any byte', async (t) => {
      const { fake, client } = await fakeClient(t, server);
      const start = String(fake.api.store.version);
      const texts = ['a', 'b', 'ü-𝄞'];
      for (const [index, text] of texts.entries()) put(fake, `c-${index}`, { text });
      const changes = fake.api.store.since(Number(start));
      const whole = Buffer.byteLength(
        changes.map(({ after }) => `${JSON.stringify({ type: 'ADDED', object: after })}\n`).join(''),
      );
      for (let cut = 0; cut < whole; cut += 7) {
        fake.inject({ action: { kind: 'cut', afterBytes: cut } });
        const seen: string[] = [];
        let resourceVersion = start;
        const read = async (): Promise<void> => {
          for await (const event of client.watch<ReturnType<typeof configMap>>(maps, { resourceVersion }, signal)) {
            assert.ok(event.type === 'ADDED');
            seen.push(event.object.data?.['text'] ?? '');
            resourceVersion = event.object.metadata.resourceVersion ?? '';
            if (seen.length === 3) return;
          }
        };
        await assert.rejects(read(), { code: 'CONNECTION_LOST' }, `cut after ${cut} of ${whole} bytes`);
        assert.ok(seen.length < 3);
        await read();
        assert.deepEqual(seen, texts);
      }
    });

    it('is made anew', async (t) => {
      const { fake, client } = await fakeClient(t, server);
      await client.list(maps, {}, signal);
      fake.cutConnections();
      await waitFor(() => client.list(maps, {}, signal), signal);
    });

    it('refuses what is larger than allowed, and goes on', async (t) => {
      const { fake, client } = await fakeClient(t, server, { limits: { maxResponseBytes: 2000, maxFrameBytes: 2000 } });
      const { metadata } = await client.list(maps, {}, signal);
      put(fake, 'big', { text: 'x'.repeat(5000) });
      await assert.rejects(client.list(maps, {}, signal), { code: 'RESPONSE_TOO_LARGE' });
      await assert.rejects(Array.fromAsync(client.watch(maps, metadata, signal)), { code: 'RESPONSE_TOO_LARGE' });
      await waitFor(() => assert.equal(fake.watches, 0), signal);
      await client.list({ resource: CORE.namespaces }, {}, signal);
    });

    it('is given up when the client is closed', async (t) => {
      const { fake, client } = await fakeClient(t, server);
      fake.inject({ action: { kind: 'wait', until: stuck() }, matches: ({ method }) => method === 'POST' });
      const { metadata } = await client.list(maps, {}, signal);
      const under = [
        client.create(maps, configMap('one'), {}, signal),
        Array.fromAsync(client.watch(maps, metadata, signal)),
      ];
      await waitFor(() => assert.ok(fake.watches === 1 && fake.requests.length === 3), signal);
      const ended = Promise.allSettled(under);
      await client.close();
      for (const outcome of await ended) assert.equal(outcome.status === 'rejected' && outcome.reason.code, 'CLOSED');
      await assert.rejects(client.list(maps, {}, signal), { code: 'CLOSED' });
    });

    it('stops what the caller gave up', async (t) => {
      const { fake, client } = await fakeClient(t, server);
      const { metadata } = await client.list(maps, {}, signal);
      for await (const event of watchAndWrite()) {
        assert.equal(event.type, 'ADDED');
        break;
      }
      await waitFor(() => assert.equal(fake.watches, 0), signal);

      function watchAndWrite() {
        const watch = client.watch(maps, metadata, signal);
        turn()
          .then(() => client.create(maps, configMap('one'), {}, signal))
          .catch(() => {});
        return watch;
      }
    });
  });
}

describe('a server that is not there', () => {
  it('refuses the connection', async (t) => {
    const { fake } = await fakeClient(t);
    const client = createKubeClient({ config: { ...fake.config, server: 'http://127.0.0.1:1/' } });
    await assert.rejects(client.create(maps, configMap('one'), {}, signal), { code: 'CONNECTION_REFUSED' });
    await client.close();
  });
});

describe('a list whose moment is forgotten half way', () => {
  it('is asked for in one piece', async (t) => {
    const { fake, client } = await fakeClient(t);
    for (const name of ['a', 'b', 'c']) put(fake, name);
    fake.inject({
      action: { kind: 'status', httpStatus: 410, reason: 'Expired' },
      matches: ({ query }) => query.has('continue'),
    });
    const map = (object: KubeObject): KubeObject => ({ ...object, kind: `Small${object.kind}` });
    const list = await listAll(client, maps, { chunk: 1, map }, signal);
    assert.deepEqual(
      list.items.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      ['SmallConfigMap a', 'SmallConfigMap b', 'SmallConfigMap c'],
    );
    const [, , last] = fake.requests;
    assert.ok(!last?.query.has('limit') && !last?.query.has('continue'));
  });
});
