import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { createDeadLetters, type DeadLetters } from './dead-letters.ts';
import { never, type OutboxDatabase, outboxDatabase } from './testing/outbox-database.ts';
import { RecordingConsumer, type RunningDispatcher, runDispatcher } from './testing/recording-consumer.ts';

for (const engine of DATABASES) {
  describe(`dead letters on ${engine}`, () => {
    let outbox: OutboxDatabase;
    let letters: DeadLetters;
    let dispatcher: RunningDispatcher;
    let refused = new Set(['x', 'y', 'z']);
    const consumer = new RecordingConsumer(
      ({ key }) => {
        if (refused.has(key)) throw new Error(`${key} is refused`);
      },
      { attempts: 1 },
    );
    const all = { consumer: consumer.name, after: 0, limit: 10 };
    const keys = async (): Promise<string[]> => (await letters.list(all, never)).map(({ event }) => event.key);
    const deadOnes = (count: number) =>
      dispatcher.facts.until(
        (facts) => facts.filter(({ kind }) => kind === 'dead-letter').length >= count,
        `${count} dead letters`,
      );
    const positions = async (): Promise<number[]> =>
      (await letters.list(all, never)).map(({ event }) => event.position);

    before(async () => {
      outbox = await outboxDatabase(engine);
      letters = createDeadLetters(outbox.storage);
      dispatcher = runDispatcher({ storage: outbox.storage, consumers: [consumer] });
      await outbox.append('x', 'ok', 'y', 'z', 'x');
      await deadOnes(4);
      await dispatcher.stop();
    });
    after(() => outbox.dispose());

    it('are listed with the event and why it was given up', async () => {
      const [first, ...others] = await letters.list(all, never);
      assert.equal(first?.event.key, 'x');
      assert.equal(first?.attempts, 1);
      assert.equal(first?.lastError, 'Error: x is refused');
      assert.deepEqual(
        others.map(({ event }) => event.key),
        ['y', 'z', 'x'],
      );
      assert.deepEqual(await letters.list({ ...all, after: first?.event.position ?? 0 }, never), others);
      assert.deepEqual(await letters.list({ ...all, consumer: 'another' }, never), []);
    });

    it('are replayed by choice, while the dispatcher runs, and die again when nothing changed', async () => {
      dispatcher = runDispatcher({ storage: outbox.storage, consumers: [consumer] });
      await dispatcher.facts.until((facts) => facts.some(({ kind }) => kind === 'claimed'), 'the claim');
      refused = new Set(['x', 'z']);
      const [x, y] = await positions();
      assert.equal(await letters.replay({ consumer: consumer.name, positions: [x ?? 0, y ?? 0] }, never), 2);
      await consumer.done.until((items) => items.includes('y'), 'the one that works now');
      await deadOnes(1);
      await dispatcher.stop();
      assert.deepEqual(await keys(), ['x', 'z', 'x']);
    });

    it('are all there still when one of those to be replayed or discarded is not', async () => {
      const [x] = await positions();
      const choice = { consumer: consumer.name, positions: [x ?? 0, 999_999] };
      await assert.rejects(letters.replay(choice, never), { code: 'DEAD_LETTER_NOT_FOUND' });
      await assert.rejects(letters.discard(choice, never), { code: 'DEAD_LETTER_NOT_FOUND' });
      assert.deepEqual(await keys(), ['x', 'z', 'x']);
    });

    it('are discarded by choice', async () => {
      const [, z] = await positions();
      assert.equal(await letters.discard({ consumer: consumer.name, positions: [z ?? 0] }, never), 1);
      assert.deepEqual(await keys(), ['x', 'x']);
    });

    it('are replayed in order when all are, before what waits of their key', async () => {
      refused = new Set();
      assert.equal(await letters.replay({ consumer: consumer.name, positions: 'all' }, never), 2);
      const dead = await positions();
      assert.deepEqual(dead, []);
      await outbox.append('x');
      const again = new RecordingConsumer();
      dispatcher = runDispatcher({ storage: outbox.storage, consumers: [again] });
      await again.done.until((items) => items.length >= 3, 'all of x');
      await dispatcher.stop();
      assert.deepEqual(again.begun.items, ['x', 'x', 'x']);
      assert.equal(await letters.discard({ consumer: consumer.name, positions: 'all' }, never), 0);
    });
  });
}
