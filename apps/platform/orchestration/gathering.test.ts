import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { Gathering } from './gathering.ts';

test('what comes while a batch is written is the next batch', async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const batches: number[][] = [];
  const gathering = new Gathering<number>(async (items) => {
    batches.push([...items]);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
  });
  const all = Array.from({ length: 100 }, (_, item) => gathering.add(item));
  assert.deepEqual(batches, [[0]]);
  gates[0]?.resolve();
  await all[0];
  await othersTurn();
  assert.equal(batches.length, 2);
  assert.equal(batches[1]?.length, 99);
  gates[1]?.resolve();
  await Promise.all(all);
});

test('one that cannot be written harms no other, and is told so', async () => {
  const written = new Set<number>();
  const gathering = new Gathering<number>(async (items) => {
    if (items.includes(13)) throw new RangeError('not thirteen');
    for (const item of items) written.add(item);
  });
  const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, item) => gathering.add(item)));
  assert.deepEqual(
    ends.map(({ status }) => status),
    ends.map((_, item) => (item === 13 ? 'rejected' : 'fulfilled')),
  );
  assert.equal(written.size, 19);
  await gathering.add(20);
  assert.ok(written.has(20), 'it goes on');
});
