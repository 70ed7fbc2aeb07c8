import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { percentile, pooled } from './statistics.ts';

suite('percentiles', () => {
  test('are values that were measured', () => {
    const values = [5, 1, 4, 2, 3];
    assert.deepEqual(
      [0, 0.5, 0.99, 1].map((share) => percentile(values, share)),
      [1, 3, 5, 5],
    );
  });

  test('of a million values in two rounds, more than a call takes as arguments', async () => {
    const many = Array.from({ length: 500_000 }, (_, index) => index);
    const { ours, theirs } = await pooled(
      2,
      async () => many,
      async () => [7],
    );
    assert.equal(ours.length, 2 * many.length);
    assert.equal(percentile(ours, 0.5), 249_999);
    assert.deepEqual(theirs, [7, 7]);
  });
});
