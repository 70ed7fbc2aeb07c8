import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lookAgainMs } from './look-again.ts';

describe('the wait before the next look', () => {
  for (const { waitedMs, expectedMs } of [
    { waitedMs: 0, expectedMs: 5 },
    { waitedMs: 40, expectedMs: 5 },
    { waitedMs: 400, expectedMs: 50 },
    { waitedMs: 60_000, expectedMs: 100 },
  ]) {
    it(`after ${waitedMs} ms`, () => assert.equal(lookAgainMs(1_000, 1_000 + waitedMs), expectedMs));
  }
});
