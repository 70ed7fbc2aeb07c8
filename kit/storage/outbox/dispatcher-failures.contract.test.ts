import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { sql } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { gate } from '../testing/gate.ts';
import { createDispatcher } from './dispatcher.ts';
import { alteredStorage } from './testing/altered-storage.ts';
import { dispatchSuite, has, ofKey } from './testing/dispatch-suite.ts';
import { never } from './testing/outbox-database.ts';
import { RecordingConsumer, runDispatcher } from './testing/recording-consumer.ts';

for (const engine of DATABASES) {
  describe(`dispatch with failures on ${engine}`, () => {
    const suite = dispatchSuite(engine);

    it('tries a failing key again, keeps its order, and holds up no other key', async () => {
      const { storage, name } = await suite.registered();
      let refusals = 2;
      const consumer = new RecordingConsumer(
        ({ key }) => {
          if (key === 'a' && refusals-- > 0) throw new Error('not yet');
        },
        { name },
      );
      const dispatcher = runDispatcher({ storage, consumers: [consumer] });
      await suite.append('a1 b1 a2 b2');
      await consumer.done.until(has('a2', 'b2'), 'all events');
      await dispatcher.stop();
      assert.equal(ofKey('a', consumer.begun.items), 'a1 a1 a1 a2');
      assert.equal(ofKey('b', consumer.begun.items), 'b1 b2');
      assert.deepEqual(
        [await suite.rowsOf('outbox_deferred', name), await suite.rowsOf('outbox_held_keys', name)],
        [0, 0],
      );
    });

    it('gives up on an event after its last attempt, and its key goes on', async () => {
      const { storage, name } = await suite.registered();
      const consumer = new RecordingConsumer(
        ({ data }) => {
          if (data === 1) throw new StorageError('CHECK_VIOLATED', 'never');
        },
        { name },
      );
      const dispatcher = runDispatcher({ storage, consumers: [consumer] });
      await suite.append('a1 a2 b2');
      await consumer.done.until(has('a2', 'b2'), 'the other events');
      await suite.append('a3');
      await consumer.done.until(has('a3'), 'the event after');
      await dispatcher.stop();
      assert.equal(ofKey('a', consumer.begun.items), 'a1 a1 a1 a2 a3');
      assert.equal(await suite.rowsOf('outbox_dead_letters', name), 1);
      const kinds = dispatcher.facts.items.map(({ kind }) => kind);
      assert.deepEqual(
        kinds.filter((kind) => kind === 'will-retry' || kind === 'dead-letter'),
        ['will-retry', 'will-retry', 'dead-letter'],
      );
    });

    it('remembers across a restart what failed, and what waits behind it', async () => {
      const { storage, name } = await suite.registered();
      const failing = new RecordingConsumer(
        ({ key }) => {
          if (key === 'a') throw new Error('down');
        },
        { name, attempts: 99, backoff: { baseMs: 3_600_000, capMs: 3_600_000 } },
      );
      const first = runDispatcher({ storage, consumers: [failing], random: () => 0.5 });
      await suite.append('a1 b1');
      await failing.done.until(has('b1'), 'the other key');
      await suite.append('a2');
      await first.facts.until((facts) => facts.some(({ kind }) => kind === 'will-retry'), 'the failure');
      await first.stop();
      await suite.append('a3 c1');
      const mended = new RecordingConsumer(() => {}, { name });
      const soon = runDispatcher({ storage, consumers: [mended] });
      await mended.done.until(has('c1'), 'another key');
      await soon.stop();
      assert.equal(ofKey('a', mended.begun.items), '', 'it is not due yet');
      const clock = new FakeClock(Date.now() + 7_200_000);
      const later = runDispatcher({ storage, consumers: [mended], clock });
      await mended.done.until(has('a3'), 'the held key');
      await later.stop();
      assert.equal(ofKey('a', mended.begun.items), 'a1 a2 a3');
    });

    it('takes a handler that does not end for failed, and tells it to stop', async () => {
      const { storage, name } = await suite.registered();
      const told = gate();
      let runs = 0;
      const consumer = new RecordingConsumer(
        async (_, signal) => {
          runs += 1;
          if (runs > 1) return;
          signal.addEventListener('abort', () => told.open());
          await new Promise(() => {});
        },
        { name, timeoutMs: 20 },
      );
      const dispatcher = runDispatcher({ storage, consumers: [consumer] });
      await suite.append('a1');
      await told.passed;
      await consumer.done.until(has('a1'), 'the second try');
      await dispatcher.stop();
      const failure = dispatcher.facts.items.find(({ kind }) => kind === 'will-retry');
      assert.ok(failure?.kind === 'will-retry' && failure.error instanceof Error);
      assert.equal((failure.error as { code?: string }).code, 'HANDLER_TIMED_OUT');
    });

    it('hands out again what was handled but not recorded when a process died', async () => {
      const { storage, name } = await suite.registered();
      const [handled, end] = [gate(), gate()];
      // The process dies between the end of its handler and the record: its further requests get no answer.
      const silent = (): Promise<never> => end.passed.then(() => Promise.reject(new Error('killed')));
      let isDead = false;
      const dying = alteredStorage(storage, {
        commit: silent,
        write: (body, signal) => (isDead ? silent() : storage.write(body, signal)),
      });
      const first = new RecordingConsumer(({ data }) => (data === 2 ? handled.open() : undefined), { name });
      const killed = runDispatcher({ storage: dying, consumers: [first] });
      await suite.append('a1 a2');
      await handled.passed;
      isDead = true;
      const clock = new FakeClock(Date.now() + 60_000);
      const second = new RecordingConsumer(() => {}, { name });
      const successor = runDispatcher({ storage, consumers: [second], clock });
      await second.done.until(has('a2'), 'both handled again');
      await suite.append('a3');
      await second.done.until(has('a3'), 'the next one');
      assert.deepEqual(second.begun.items, ['a1', 'a2', 'a3']);
      await successor.stop();
      end.open();
      await assert.rejects(killed.ended, /killed/);
    });

    it('lets nobody record who lost its claim', async () => {
      const { storage, name } = await suite.registered();
      const [handled, record] = [gate(), gate()];
      const paused = alteredStorage(storage, {
        commit: async (batch, signal) => {
          await record.passed;
          return await storage.commit(batch, signal);
        },
      });
      const first = new RecordingConsumer(() => handled.open(), { name });
      const stale = runDispatcher({ storage: paused, consumers: [first], leaseMs: 60_000 });
      await suite.append('a1');
      await handled.passed;
      const clock = new FakeClock(Date.now() + 61_000);
      const second = new RecordingConsumer(() => Promise.reject(new Error('wait')), { name, attempts: 99 });
      const owner = runDispatcher({ storage, consumers: [second], clock, leaseMs: 60_000 });
      await owner.facts.until((facts) => facts.some(({ kind }) => kind === 'recorded'), 'the record of the owner');
      const before = await storage.get(
        sql`SELECT position, owner, fence FROM outbox_consumers WHERE name = ${name}`,
        never,
      );
      record.open();
      if (engine === 'sqlite') await assert.rejects(stale.ended, /another dispatcher/);
      else await stale.facts.until((facts) => facts.some(({ kind }) => kind === 'interrupted'), 'the loss');
      assert.deepEqual(
        await storage.get(sql`SELECT position, owner, fence FROM outbox_consumers WHERE name = ${name}`, never),
        before,
      );
      await owner.stop();
      await stale.stop().catch(() => {});
    });

    it('writes nothing more when it is stopped while a record hangs that then comes to nothing', async () => {
      const { storage, name } = await suite.registered();
      const [recording, cut] = [gate(), gate()];
      let commits = 0;
      const hanging = alteredStorage(storage, {
        commit: async (batch, signal) => {
          commits += 1;
          if (commits > 1) return await storage.commit(batch, signal);
          recording.open();
          await cut.passed;
          throw new StorageError('CONNECTION_LOST', 'cut by the test');
        },
      });
      const failing = new RecordingConsumer(() => Promise.reject(new Error('down')), { name });
      const first = runDispatcher({ storage: hanging, consumers: [failing] });
      await suite.append('a1');
      await recording.passed;
      const stopped = first.stop();
      cut.open();
      await stopped;
      const second = new RecordingConsumer(() => {}, { name });
      // On Postgres the first dispatcher could not release its lease.
      const clock = new FakeClock(Date.now() + 60_000);
      const again = runDispatcher({ storage, consumers: [second], clock });
      await second.done.until(has('a1'), 'the event that failed');
      await again.stop();
    });

    it('begins again from what is recorded after trouble with the database', async () => {
      const { storage, name } = await suite.registered();
      let troubles = 2;
      const flaky = alteredStorage(storage, {
        commit: async (batch, signal) => {
          if (troubles-- > 0) throw new StorageError('CONNECTION_LOST', 'cut by the test');
          return await storage.commit(batch, signal);
        },
      });
      const consumer = new RecordingConsumer(() => {}, { name });
      const dispatcher = runDispatcher({ storage: flaky, consumers: [consumer] });
      await suite.append('a1');
      await dispatcher.facts.until((facts) => facts.some(({ kind }) => kind === 'recorded'), 'a record');
      await dispatcher.stop();
      assert.deepEqual(consumer.done.items, ['a1', 'a1', 'a1']);
      assert.equal(dispatcher.facts.items.filter(({ kind }) => kind === 'interrupted').length, 2);
    });

    it('ends, and stops all its consumers, with what no retry can mend', async () => {
      const { storage, name } = await suite.registered();
      const broken = alteredStorage(storage, {
        write: (body, signal) =>
          storage.write(async (tx) => {
            await tx.run(sql`SELEKT ${1}`);
            return await body(tx);
          }, signal),
      });
      const consumers = [
        new RecordingConsumer(() => {}, { name }),
        new RecordingConsumer(() => {}, { name: `${name}-2` }),
      ];
      await assert.rejects(createDispatcher({ storage: broken, consumers }).run(never), { code: 'STATEMENT_REFUSED' });
    });
  });
}
