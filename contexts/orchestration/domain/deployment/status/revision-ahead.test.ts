import assert from 'node:assert/strict';
import { test } from 'node:test';
import { believedRevision } from './revision-ahead.ts';

const NOW = Date.UTC(2030, 0, 2);
const HOUR = 3_600_000;

for (const { why, restoredAt, want } of [
  { why: 'a platform that was never restored', restoredAt: undefined, want: 7 },
  { why: 'just restored', restoredAt: NOW, want: 10_007 },
  { why: 'a day is not over', restoredAt: NOW - 24 * HOUR + 1, want: 10_007 },
  { why: 'a day is over', restoredAt: NOW - 24 * HOUR, want: 7 },
  { why: 'a clock that was set back behind the restore', restoredAt: NOW + 1, want: 7 },
]) {
  test(`how far an agent is believed: ${why}`, () => {
    assert.equal(believedRevision({ revision: 7 }, { restoredAt, now: NOW }), want);
  });
}
