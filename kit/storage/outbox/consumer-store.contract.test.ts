import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { appendEvents } from './append-events.ts';
import { ConsumerStore } from './consumer-store.ts';
import { event, never, type OutboxDatabase, outboxDatabase } from './testing/outbox-database.ts';
import { RecordingConsumer, runDispatcher } from './testing/recording-consumer.ts';

const NOTHING = { cursor: 0, deferred: new Map(), settled: [], held: new Map(), freed: new Set<string>(), dead: [] };

for (const engine of DATABASES) {
  describe(`the store of a consumer on ${engine}`, () => {
    let outbox: OutboxDatabase;
    before(async () => {
      outbox = await outboxDatabase(engine);
      const events = ['other', 'wanted', 'other', 'wanted', 'other'].map((type) => event('k', { type }));
      await outbox.storage.commit(appendEvents(events), never);
      const all = new RecordingConsumer();
      const dispatcher = runDispatcher({ storage: outbox.storage, consumers: [all] });
      await all.done.until(({ length }) => length === events.length, 'all events in the log');
      await dispatcher.stop();
    });
    after(() => outbox.dispose());

    for (const { why, types, after: from, limit, positions, through } of [
      { why: 'all types, to the end', types: undefined, after: 0, limit: 9, positions: [1, 2, 3, 4, 5], through: 5 },
      { why: 'all types, a part', types: undefined, after: 1, limit: 2, positions: [2, 3], through: 3 },
      { why: 'nothing more', types: undefined, after: 5, limit: 9, positions: [], through: 5 },
      {
        why: 'past the foreign events at the end',
        types: ['wanted'],
        after: 0,
        limit: 9,
        positions: [2, 4],
        through: 5,
      },
      { why: 'no further than what was left out', types: ['wanted'], after: 0, limit: 1, positions: [2], through: 2 },
      { why: 'past foreign events only', types: ['unknown'], after: 2, limit: 9, positions: [], through: 5 },
    ]) {
      it(`reads ${why}`, async () => {
        const store = new ConsumerStore(outbox.storage, { name: 'reader', startAt: 'beginning', types });
        const read = await store.readArrivals(from, limit, never);
        assert.deepEqual(
          { positions: read.arrivals.map(({ event }) => event.position), through: read.through },
          { positions, through },
        );
      });
    }

    it('knows what becomes of events beyond the cursor that an earlier session dealt with', async () => {
      const store = new ConsumerStore(outbox.storage, { name: 'standing', startAt: 'beginning', types: undefined });
      const claim = await store.claim({ owner: 'a', now: 0, leaseUntil: 10 }, never);
      assert.ok(claim.kind === 'claimed');
      const { arrivals } = await store.readArrivals(0, 9, never);
      const [, second, third] = arrivals.map((arrival) => arrival.event);
      assert.ok(second !== undefined && third !== undefined);
      const dead = [{ event: second, attempts: 5, error: 'refused' }];
      await store.record(claim, { progress: { ...NOTHING, dead }, now: 1, leaseUntil: 10 }, never);
      assert.equal(await standings(store), 'free recorded free free free');
      const deferred = new Map([[third.position, { event: third, attempts: 1, error: 'refused' }]]);
      const held = new Map([[third.key, 100]]);
      await store.record(claim, { progress: { ...NOTHING, deferred, held }, now: 2, leaseUntil: 10 }, never);
      assert.equal(await standings(store), 'held recorded recorded held held');
      const [waiting] = await store.readDeferred(third.key, 9, never);
      assert.deepEqual([waiting?.event, waiting?.attempts], [third, 1]);
      assert.deepEqual(await store.readHeldKeys(9, never), [{ key: third.key, dueAt: 100 }]);
      const again = await store.claim({ owner: 'a', now: 3, leaseUntil: 10 }, never);
      assert.equal(again.kind === 'claimed' && again.recordedThrough, third.position);
    });

    it('raises the fence with each claim, and refuses the record of an older one', async () => {
      const store = new ConsumerStore(outbox.storage, { name: 'claimed', startAt: 'beginning', types: undefined });
      const nothing = {
        cursor: 3,
        deferred: new Map(),
        settled: [],
        held: new Map(),
        freed: new Set<string>(),
        dead: [],
      };
      const claim = async (owner: string, now: number) =>
        await store.claim({ owner, now, leaseUntil: now + 10 }, never);
      const first = await claim('a', 100);
      assert.ok(first.kind === 'claimed');
      assert.equal(await store.record(first, { progress: nothing, now: 101, leaseUntil: 111 }, never), true);
      if (engine === 'postgres') assert.deepEqual(await claim('b', 110), { kind: 'taken', until: 111 });
      const second = await claim('b', 111);
      assert.ok(second.kind === 'claimed');
      assert.deepEqual([second.fence, second.cursor], [first.fence + 1, 3]);
      assert.equal(
        await store.record(first, { progress: { ...nothing, cursor: 9 }, now: 112, leaseUntil: 200 }, never),
        false,
      );
      const third = await claim('b', 113);
      assert.ok(third.kind === 'claimed');
      assert.equal(third.cursor, 3);
    });
  });
}

async function standings(store: ConsumerStore): Promise<string> {
  const { arrivals } = await store.readArrivals(0, 9, never);
  return arrivals.map(({ standing }) => standing).join(' ');
}
