import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainDelay } from './drain-delay.ts';

const CASES: readonly { why: string; count: number; last: number }[] = [
  { why: 'a single one comes back at once, or nearly', count: 1, last: 20 },
  { why: 'a few come back one after the other', count: 50, last: 1_000 },
  { why: 'a thousand take no longer than ten seconds', count: 1_000, last: 10_000 },
  { why: 'nor do a hundred thousand', count: 100_000, last: 10_000 },
];

for (const { why, count, last } of CASES) {
  test(why, () => {
    assert.equal(drainDelay(count - 1, count), last);
    const half = drainDelay(Math.floor(count / 2), count);
    assert.ok(half >= last / 2 - 20 && half <= last / 2 + 20, `the one in the middle comes at ${half}`);
  });
}
