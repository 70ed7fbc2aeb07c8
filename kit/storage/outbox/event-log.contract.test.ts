import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { seededRandom, testSeed } from '#testing/seeded';
import type { Storage } from '../port.ts';
import { sql } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { gate } from '../testing/gate.ts';
import { appendEvents } from './append-events.ts';
import { createEventLog, type EventLog, type StoredEvent } from './event-log.ts';
import { createSequencer } from './sequencer.ts';
import { alteredStorage } from './testing/altered-storage.ts';
import { event, never, type OutboxDatabase, outboxDatabase } from './testing/outbox-database.ts';
import { Watched } from './testing/watched.ts';

const count = (key: string) =>
  sql`INSERT INTO counters (key, value) VALUES (${key}, ${1}) ON CONFLICT (key) DO UPDATE SET value = counters.value + 1`;

for (const engine of DATABASES) {
  describe(`the event log on ${engine}`, () => {
    let outbox: OutboxDatabase;
    let log: EventLog;
    before(async () => {
      outbox = await outboxDatabase(engine);
      log = createEventLog(outbox.storage);
    });
    after(() => outbox.dispose());

    it('is empty at first', async () => {
      assert.deepEqual(await log.readEvents({ after: 0, limit: 10 }, never), []);
      assert.equal(await log.lastPosition(never), 0);
      assert.equal(await log.oldestPosition(never), undefined);
    });

    it('gives back what was appended, in order, by batch and in a transaction', async () => {
      const tail = follow(log, await log.lastPosition(never));
      const [a, b] = [event('a', { scope: 's', data: { text: 'ü', list: [1, null] } }), event('b', { data: 'plain' })];
      await outbox.storage.commit(appendEvents([a]), never);
      await outbox.storage.write(async (tx) => await tx.batch(appendEvents([b])), never);
      const seen = await tail.stopAfter(2);
      assert.deepEqual(
        seen,
        [a, b].map((each, index) => ({ ...each, position: seen[index]?.position })),
      );
      assert.equal(await log.lastPosition(never), seen.at(-1)?.position);
    });

    it('keeps the order of many that are appended at once', async () => {
      const tail = follow(log, await log.lastPosition(never));
      const many = Array.from({ length: 120 }, (_, index) => event(`k${index % 7}`, { data: index }));
      await outbox.storage.commit(appendEvents(many), never);
      assert.deepEqual(
        (await tail.stopAfter(many.length)).map(({ data }) => data),
        many.map(({ data }) => data),
      );
    });

    it('has no event of a transaction that was rolled back', async () => {
      const tail = follow(log, await log.lastPosition(never));
      const stale = sql.expect(1, sql`UPDATE counters SET value = ${0} WHERE key = ${'nobody'}`);
      await assert.rejects(outbox.storage.commit([...appendEvents([event('lost')]), stale], never), {
        code: 'GUARD_FAILED',
      });
      const mistake = new Error('mistake');
      const failing = outbox.storage.write(async (tx) => {
        await tx.batch(appendEvents([event('lost')]));
        throw mistake;
      }, never);
      await assert.rejects(failing, mistake);
      await outbox.append('kept');
      assert.deepEqual(
        (await tail.stopAfter(1)).map(({ key }) => key),
        ['kept'],
      );
    });

    it('is read by pages, and by scope', async () => {
      const start = await log.lastPosition(never);
      const tail = follow(log, start);
      await outbox.storage.commit(appendEvents(['x', 'y', 'x', 'y', 'x'].map((scope) => event('k', { scope }))), never);
      const all = await tail.stopAfter(5);
      const first = await log.readEvents({ after: start, limit: 2 }, never);
      const second = await log.readEvents({ after: first.at(-1)?.position ?? 0, limit: 9 }, never);
      assert.deepEqual([...first, ...second], all);
      const ofX = await log.readEvents({ after: start, limit: 9, scope: 'x' }, never);
      assert.deepEqual(
        ofX,
        all.filter(({ scope }) => scope === 'x'),
      );
      assert.deepEqual(await log.readEvents({ after: ofX[0]?.position ?? 0, limit: 1, scope: 'x' }, never), [ofX[1]]);
    });

    for (const { why, bad } of [
      { why: 'without a key', bad: event('') },
      { why: 'without a type', bad: event('k', { type: '' }) },
      { why: 'without a time', bad: event('k', { time: Number.NaN }) },
      { why: 'whose data is not JSON', bad: event('k', { data: undefined }) },
    ]) {
      it(`refuses an event ${why}`, () => assert.throws(() => appendEvents([bad]), { code: 'INVALID_EVENT' }));
    }

    it('shows every event once to one who follows many writers, and each key in the order of its changes', async () => {
      const storages = [outbox.storage, await outbox.second()];
      const start = await log.lastPosition(never);
      const [near, far] = storages.map((storage) => follow(createEventLog(storage), start));
      const stop = new AbortController();
      const sequencing = storages.slice(1).map((storage) => createSequencer({ storage }).run(stop.signal));
      const written = await Promise.all(
        storages.flatMap((storage, which) => [1, 2, 3].map((n) => writeMany(storage, which * 10 + n))),
      );
      const total = written.reduce((sum, each) => sum + each, 0);
      for (const tail of [near, far]) checkHistory((await tail?.stopAfter(total)) ?? [], total);
      stop.abort();
      await Promise.all(sequencing);
    });
  });
}

describe('the event log on postgres', {
  skip: !DATABASES.includes('postgres') && 'narrowed to other databases',
}, () => {
  it('puts an event that is committed late behind those that were read before', async (t) => {
    const { storage, append, dispose } = await outboxDatabase('postgres');
    t.after(dispose);
    const log = createEventLog(storage);
    const tail = follow(log, 0);
    const [inserted, readers] = [gate(), gate()];
    const late = storage.write(async (tx) => {
      await tx.batch(appendEvents([event('late')]));
      inserted.open();
      await readers.passed;
    }, never);
    await inserted.passed;
    await append('early');
    await tail.until(1);
    readers.open();
    await late;
    assert.deepEqual(
      (await tail.stopAfter(2)).map(({ key }) => key),
      ['early', 'late'],
    );
  });

  it('sequences what a process committed that did not live to do it', async (t) => {
    const { database, storage, dispose } = await outboxDatabase('postgres', { sequences: false });
    t.after(dispose);
    const clock = new FakeClock();
    const stop = new AbortController();
    const sequencing = createSequencer({ storage, sleep: clock.sleep, pollMs: 5_000 }).run(stop.signal);
    const tail = follow(createEventLog(storage), 0);
    await clock.untilSleeping();
    const died = await database.open([]);
    await died.commit(appendEvents([event('orphan')]), never);
    await died.close();
    await clock.advance(5_000);
    assert.deepEqual(
      (await tail.stopAfter(1)).map(({ key }) => key),
      ['orphan'],
    );
    stop.abort();
    await sequencing;
  });

  it('goes on after trouble with the database, and tells of it', async (t) => {
    const { storage, append, dispose } = await outboxDatabase('postgres', { sequences: false });
    t.after(dispose);
    const trouble = new Watched<unknown>();
    const failing = alteredStorage(storage, {
      write: (body, signal) => {
        if (trouble.items.length > 0) return storage.write(body, signal);
        throw new StorageError('CONNECTION_LOST', 'cut by the test');
      },
    });
    const stop = new AbortController();
    const sequencing = createSequencer({ storage: failing, onTrouble: trouble.add }).run(stop.signal);
    const tail = follow(createEventLog(storage), 0);
    await append('a');
    await tail.stopAfter(1);
    assert.equal(trouble.items.length, 1);
    stop.abort();
    await sequencing;
  });

  it('ends the sequencer when nothing can mend it', async (t) => {
    const { storage, append, dispose } = await outboxDatabase('postgres', { sequences: false });
    t.after(dispose);
    await append('a');
    const broken = alteredStorage(storage, {
      write: () => Promise.reject(new StorageError('STATEMENT_REFUSED', 'by the test')),
    });
    await assert.rejects(createSequencer({ storage: broken }).run(never), { code: 'STATEMENT_REFUSED' });
  });
});

/** Reads whenever there is more, like a stream to a browser. */
function follow(log: EventLog, start: number) {
  const seen = new Watched<StoredEvent>();
  let reading: Promise<void> = Promise.resolve();
  const read = async (): Promise<void> => {
    for (const each of await log.readEvents({ after: seen.items.at(-1)?.position ?? start, limit: 7 }, never))
      seen.add(each);
  };
  const stopListening = log.onAdvanced(() => {
    reading = reading.then(async () => {
      for (let before = -1; before < seen.items.length; ) {
        before = seen.items.length;
        await read();
      }
    });
  });
  const until = (total: number) => seen.until(({ length }) => length >= total, `${total} events`);
  return {
    until,
    stopAfter: async (total: number): Promise<StoredEvent[]> => {
      await until(total);
      stopListening();
      await reading;
      assert.equal(seen.items.length, total);
      return seen.items;
    },
  };
}

/** Transactions of both kinds on a few shared counters; each event holds the value that its transaction wrote. */
async function writeMany(storage: Storage, which: number): Promise<number> {
  const random = seededRandom(testSeed() + which);
  let events = 0;
  for (let round = 0; round < 25; round += 1) {
    const keys = random.shuffled(['c1', 'c2', 'c3', 'c4']).slice(0, random.integer(1, 2)).toSorted();
    await storage.write(async (tx) => {
      for (const key of keys) {
        await tx.run(count(key));
        const row = await tx.get<{ value: number }>(sql`SELECT value FROM counters WHERE key = ${key}`);
        await tx.batch(appendEvents([event(key, { data: row?.value })]));
      }
    }, never);
    await storage.commit(appendEvents([event(`own-${which}`, { data: round + 1 })]), never);
    events += keys.length + 1;
  }
  return events;
}

function checkHistory(seen: readonly StoredEvent[], total: number): void {
  assert.equal(new Set(seen.map(({ id }) => id)).size, total, 'each comes once');
  const values = new Map<string, number>();
  for (const [index, { key, data, position }] of seen.entries()) {
    assert.ok(position > (seen[index - 1]?.position ?? 0), 'positions grow');
    assert.equal(data, (values.get(key) ?? 0) + 1, `changes of ${key} come in order`);
    values.set(key, Number(data));
  }
}
