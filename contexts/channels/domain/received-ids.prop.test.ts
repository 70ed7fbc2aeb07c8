import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testSeed } from '#testing/seeded';
import { ReceivedIds, receivedInOrder } from './received-ids.ts';

const MOST = 40;
const everyId = Array.from({ length: MOST }, (_, at) => at + 1);

test('it knows which ids have come, in whatever order, and how many are missing', () => {
  const some = fc.shuffledSubarray(everyId);
  const property = fc.property(some, fc.nat(10), (came, skipped) => {
    const ids = new ReceivedIds();
    const model = new Set<number>();
    if (skipped > 0) ids.skipTo(skipped);
    for (let id = 1; id <= skipped; id += 1) model.add(id);
    for (const id of came.filter((one) => one > skipped)) {
      assert.equal(ids.has(id), false);
      ids.add(id);
      model.add(id);
      agrees(ids, model);
    }
  });
  fc.assert(property, { numRuns: 500, seed: testSeed() });
});

test('however many have come, it remembers no more than there are gaps', () => {
  const ids = new ReceivedIds();
  for (let id = 1; id <= 10_000; id += 1) if (id !== 5 && id !== 5_000) ids.add(id);
  assert.deepEqual(ids.above, [6, 4_999, 5_001, 10_000]);
  ids.add(5_000);
  assert.deepEqual(ids.above, [6, 10_000]);
  ids.add(5);
  assert.deepEqual([ids.upTo, ids.above], [10_000, []]);
});

function agrees(ids: ReceivedIds, model: ReadonlySet<number>): void {
  const highest = Math.max(0, ...model);
  assert.deepEqual([ids.highest, ids.missing], [highest, highest - model.size]);
  const told = receivedInOrder({ receivedUpTo: ids.upTo, receivedAbove: ids.above });
  for (const id of everyId) {
    assert.equal(ids.has(id), model.has(id), `has ${id}`);
    assert.equal(told(id), model.has(id), `told of ${id}`);
  }
  const edges = [ids.upTo, ...ids.above];
  for (let at = 0; at + 1 < edges.length; at += 2) {
    assert.ok((edges[at + 1] ?? 0) > (edges[at] ?? 0) + 1, 'two ranges touch');
  }
}
