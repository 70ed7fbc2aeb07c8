import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { appendEvents } from './append-events.ts';
import { createDeadLetters } from './dead-letters.ts';
import { createEventLog, type EventLog } from './event-log.ts';
import { forgetConsumer, purgeEvents } from './retention.ts';
import { event, never, type OutboxDatabase, outboxDatabase } from './testing/outbox-database.ts';
import { RecordingConsumer, runDispatcher } from './testing/recording-consumer.ts';

for (const engine of DATABASES) {
  describe(`retention on ${engine}`, () => {
    let outbox: OutboxDatabase;
    let log: EventLog;
    const kept = async (): Promise<number[]> =>
      (await log.readEvents({ after: 0, limit: 99 }, never)).map(({ time }) => time);
    const append = async (...times: number[]): Promise<void> => {
      await outbox.storage.commit(appendEvents(times.map((time) => event(`k${time}`, { time }))), never);
    };
    /** Runs a consumer until it has seen the events of these times. */
    const serve = async (consumer: RecordingConsumer, ...times: number[]): Promise<void> => {
      const dispatcher = runDispatcher({ storage: outbox.storage, consumers: [consumer] });
      await consumer.begun.until(
        (items) => times.every((time) => items.includes(`k${time}`)),
        `the events ${times.join()}`,
      );
      await dispatcher.stop();
    };
    const purge = (olderThan: number) => purgeEvents({ storage: outbox.storage, olderThan, chunk: 2 }, never);

    before(async () => {
      outbox = await outboxDatabase(engine);
      log = createEventLog(outbox.storage);
    });
    after(() => outbox.dispose());

    it('removes nothing from an empty log', async () => assert.equal(await purge(1_000), 0));

    it('removes what is older, in chunks, and keeps what no consumer was given yet', async () => {
      await append(1, 2, 3, 4, 5, 6, 7);
      await serve(new RecordingConsumer(() => {}, { name: 'fast' }), 1, 2, 3, 4, 5, 6, 7);
      assert.equal(await purge(4), 3);
      assert.deepEqual(await kept(), [4, 5, 6, 7]);
      await serve(new RecordingConsumer(() => {}, { name: 'slow' }), 4, 5, 6, 7);
      await append(8);
      await serve(new RecordingConsumer(() => {}, { name: 'fast' }), 8);
      assert.equal(await purge(9), 4);
      assert.deepEqual(await kept(), [8]);
    });

    it('holds nothing for a consumer that was forgotten', async () => {
      await append(9, 10);
      await serve(new RecordingConsumer(() => {}, { name: 'fast' }), 9, 10);
      assert.equal(await purge(10), 0, 'the slow one has not seen them');
      await forgetConsumer(outbox.storage, 'slow', never);
      assert.equal(await purge(10), 2);
      await assert.rejects(forgetConsumer(outbox.storage, 'slow', never), { code: 'CONSUMER_NOT_FOUND' });
    });

    it('keeps the newest event, so that positions go on from there', async () => {
      const last = await log.lastPosition(never);
      assert.equal(await purge(Number.MAX_SAFE_INTEGER), 0);
      await append(11);
      await serve(new RecordingConsumer(() => {}, { name: 'fast' }), 11);
      assert.equal(await log.lastPosition(never), last + 1);
      assert.equal(await purge(Number.MAX_SAFE_INTEGER), 1);
      assert.equal(await log.oldestPosition(never), last + 1);
    });

    it('keeps what is deferred and what is a dead letter', async () => {
      await append(12, 13, 14);
      const failing = new RecordingConsumer(
        ({ time }) => {
          if (time === 12) throw new Error('refused');
        },
        { name: 'fast', attempts: 1 },
      );
      await serve(failing, 12, 13, 14);
      assert.equal(await purge(14), 2, 'those of 11 and 13');
      assert.deepEqual(await kept(), [12, 14]);
      const letters = createDeadLetters(outbox.storage);
      await letters.replay({ consumer: 'fast', positions: 'all' }, never);
      assert.equal(await purge(14), 0);
      await serve(new RecordingConsumer(() => {}, { name: 'fast' }), 12);
      assert.equal(await purge(14), 1);
    });
  });
}
