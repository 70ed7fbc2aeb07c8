import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasRun } from './covered.ts';

const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });

describe('whether a place has run', () => {
  for (const { why, ranges, want } of [
    { why: 'the file was not loaded', ranges: [], want: false },
    { why: 'the innermost range ran', ranges: [range(0, 100, 0), range(40, 60, 3)], want: true },
    { why: 'the innermost range did not', ranges: [range(0, 100, 3), range(40, 60, 0)], want: false },
    { why: 'it ran in one of two processes', ranges: [range(40, 60, 0), range(40, 60, 1)], want: true },
    { why: 'a range ends before it', ranges: [range(0, 100, 1), range(40, 50, 0)], want: true },
  ]) {
    it(`${want}: ${why}`, () => assert.equal(hasRun(ranges, 50), want));
  }
});
