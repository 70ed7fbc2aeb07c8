import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { DATABASES } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import type { Row } from '../port.ts';
import type { Statement } from '../sql.ts';
import { gate } from '../testing/gate.ts';
import { createDispatcher } from './dispatcher.ts';
import { alteredStorage } from './testing/altered-storage.ts';
import { dispatchSuite, has, ofKey } from './testing/dispatch-suite.ts';
import { RecordingConsumer, runDispatcher } from './testing/recording-consumer.ts';

for (const engine of DATABASES) {
  describe(`dispatch on ${engine}`, () => {
    const suite = dispatchSuite(engine);

    it('hands out every event, in order within a key', async () => {
      const { storage, name } = await suite.registered();
      const consumer = new RecordingConsumer(() => {}, { name });
      const dispatcher = runDispatcher({ storage, consumers: [consumer] });
      await suite.append('a1 b1 a2 c1 a3');
      await suite.append('b2');
      await consumer.done.until(has('a3', 'b2', 'c1'), 'all events');
      await dispatcher.stop();
      assert.equal(ofKey('a', consumer.begun.items), 'a1 a2 a3');
      assert.equal(ofKey('b', consumer.begun.items), 'b1 b2');
      assert.equal(consumer.begun.items.length, 6);
    });

    it('handles keys at once, and the events of one key one after another', async () => {
      const { storage, name } = await suite.registered();
      const both = gate();
      const begun = new Set<string>();
      const consumer = new RecordingConsumer(
        async ({ key }) => {
          begun.add(key);
          if (begun.has('a') && begun.has('b')) both.open();
          await both.passed;
        },
        { name },
      );
      const dispatcher = runDispatcher({ storage, consumers: [consumer] });
      await suite.append('a1 a2 b1');
      await consumer.done.until(has('a2', 'b1'), 'all events');
      await dispatcher.stop();
      assert.deepEqual(consumer.begun.items, ['a1', 'b1', 'a2']);
    });

    it('begins where a new consumer wants to, and goes on where it left off', async () => {
      const { storage, name } = await suite.registered();
      await suite.append('p1');
      const early = new RecordingConsumer(() => {}, { name: `${name}-early` });
      const first = runDispatcher({ storage, consumers: [early] });
      await early.done.until(has('p1'), 'the old event');
      const late = new RecordingConsumer(() => {}, { name: `${name}-late`, startAt: 'now' });
      const beside = runDispatcher({ storage, consumers: [late] });
      await beside.facts.until((facts) => facts.some(({ kind }) => kind === 'claimed'), 'the claim');
      await suite.append('q1');
      await late.done.until(has('q1'), 'the new event');
      await early.done.until(has('q1'), 'the new event');
      await first.stop();
      await beside.stop();
      await suite.append('r1');
      const again = new RecordingConsumer(() => {}, { name: late.name, startAt: 'beginning' });
      const second = runDispatcher({ storage, consumers: [again] });
      await again.done.until(has('r1'), 'the next event');
      await second.stop();
      assert.deepEqual(late.begun.items, ['q1']);
      assert.deepEqual(again.begun.items, ['r1']);
    });

    it('hands out only the types that are asked for', async () => {
      const { storage, name } = await suite.registered();
      const consumer = new RecordingConsumer(() => {}, { name, types: ['wanted', 'also'] });
      const dispatcher = runDispatcher({ storage, consumers: [consumer] });
      await suite.append('a1', 'unwanted');
      await suite.append('a2', 'wanted');
      await suite.append('a3', 'unwanted');
      await suite.append('a4', 'also');
      await consumer.done.until(has('a4'), 'the last of them');
      await dispatcher.stop();
      assert.deepEqual(consumer.begun.items, ['a2', 'a4']);
    });

    it('does not let a slow key hold up the others, however many they are', async () => {
      const { storage, name } = await suite.registered();
      const slow = gate();
      const consumer = new RecordingConsumer(
        async ({ key }) => {
          if (key === 'a') await slow.passed;
        },
        { name },
      );
      const dispatcher = runDispatcher({ storage, consumers: [consumer], windowSize: 4 });
      await suite.append('a1 a2 a3 b1 b2 c1 c2 d1 d2 a4 b3');
      await consumer.done.until(has('b3', 'c2', 'd2'), 'all other keys');
      assert.equal(ofKey('a', consumer.done.items), '');
      slow.open();
      await consumer.done.until(has('a4'), 'the slow key');
      await dispatcher.stop();
      assert.equal(ofKey('a', consumer.begun.items), 'a1 a2 a3 a4');
      assert.equal(consumer.begun.items.length, 11);
      assert.deepEqual(
        [await suite.rowsOf('outbox_deferred', name), await suite.rowsOf('outbox_held_keys', name)],
        [0, 0],
      );
    });

    it('lets a handler finish when it is stopped, and records it', async () => {
      const { storage, name } = await suite.registered();
      const finish = gate();
      const first = new RecordingConsumer(() => finish.passed, { name });
      const dispatcher = runDispatcher({ storage, consumers: [first] });
      await suite.append('a1');
      await first.begun.until(has('a1'), 'the beginning');
      const stopped = dispatcher.stop();
      await turn();
      finish.open();
      await stopped;
      await suite.append('b1');
      const second = new RecordingConsumer(() => {}, { name });
      const again = runDispatcher({ storage, consumers: [second] });
      await second.done.until(has('b1'), 'the next event');
      await again.stop();
      assert.deepEqual(second.begun.items, ['b1']);
    });

    it('breaks off a handler that does not end in time when it is stopped, without counting it as a failure', async () => {
      const { storage, name } = await suite.registered();
      const aborted = gate();
      const first = new RecordingConsumer(
        async (_, signal) => {
          signal.addEventListener('abort', () => aborted.open());
          await new Promise(() => {});
        },
        { name },
      );
      const dispatcher = runDispatcher({ storage, consumers: [first], stopMs: 1 });
      await suite.append('a1 b1');
      await first.begun.until(has('a1', 'b1'), 'the beginning');
      await dispatcher.stop();
      await aborted.passed;
      assert.equal(
        dispatcher.facts.items.some(({ kind }) => kind === 'will-retry'),
        false,
      );
      const second = new RecordingConsumer(() => {}, { name });
      const again = runDispatcher({ storage, consumers: [second] });
      await second.done.until(has('a1', 'b1'), 'both again');
      await again.stop();
    });

    it('runs until it is stopped, even with nobody to serve', async () => {
      const { storage } = await suite.registered();
      const dispatcher = runDispatcher({ storage, consumers: [] });
      assert.equal(await Promise.race([dispatcher.ended, turn('still running')]), 'still running');
      await dispatcher.stop();
    });

    it('refuses two consumers of one name', async () => {
      const { storage } = await suite.registered();
      const consumers = [new RecordingConsumer(), new RecordingConsumer()];
      assert.throws(() => createDispatcher({ storage, consumers }), RangeError);
    });

    it('does nothing while there is nothing to do', async () => {
      const { storage, name } = await suite.registered();
      let asked = 0;
      const counted = alteredStorage(storage, {
        all: <R extends Row>(statement: Statement, signal: AbortSignal) => {
          asked += 1;
          return storage.all<R>(statement, signal);
        },
        get: <R extends Row>(statement: Statement, signal: AbortSignal) => {
          asked += 1;
          return storage.get<R>(statement, signal);
        },
        commit: (batch, signal) => {
          asked += 1;
          return storage.commit(batch, signal);
        },
      });
      const clock = new FakeClock();
      const consumer = new RecordingConsumer(() => {}, { name });
      const timing = { leaseMs: 60_000, pollMs: 30_000 };
      const dispatcher = runDispatcher({
        storage: counted,
        consumers: [consumer],
        clock,
        sleep: clock.sleep,
        ...timing,
      });
      await clock.untilSleeping();
      await suite.append('a1');
      await consumer.done.until(has('a1'), 'an event');
      await dispatcher.facts.until((facts) => facts.some(({ kind }) => kind === 'recorded'), 'its record');
      await clock.untilSleeping();
      const before = asked;
      for (let second = 0; second < 15; second += 1) await clock.advance(1_000);
      // On Postgres the notification of the event may arrive from the server only now.
      assert.ok(asked <= before + 2, `it asked ${asked - before} times`);
      await dispatcher.stop();
    });
  });
}
