import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDuration, parseDuration } from './duration.ts';
import { StdError } from './std-error.ts';

test('every duration survives being written and read', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (ms) => assert.equal(parseDuration(formatDuration(ms)), ms)));
});

for (const { raw, ms, text } of [
  { raw: '500ms', ms: 500, text: '500ms' },
  { raw: '30s', ms: 30_000, text: '30s' },
  { raw: '5m', ms: 300_000, text: '5m' },
  { raw: '1h30m', ms: 5_400_000, text: '1h30m' },
  { raw: '7d', ms: 604_800_000, text: '7d' },
  { raw: '1d2h3m4s5ms', ms: 93_784_005, text: '1d2h3m4s5ms' },
  { raw: '90s', ms: 90_000, text: '1m30s' },
  { raw: '0ms', ms: 0, text: '0s' },
]) {
  test(`${raw} is ${ms} milliseconds and written ${text}`, () => {
    assert.equal(parseDuration(raw), ms);
    assert.equal(formatDuration(ms), text);
  });
}

for (const { why, raw } of [
  { why: 'nothing', raw: '' },
  { why: 'no unit', raw: '30' },
  { why: 'no number', raw: 's' },
  { why: 'a fraction', raw: '1.5h' },
  { why: 'a sign', raw: '-5s' },
  { why: 'a space', raw: '5 s' },
  { why: 'a smaller unit first', raw: '30m1h' },
  { why: 'a unit twice', raw: '1h1h' },
  { why: 'an unknown unit', raw: '2w' },
  { why: 'upper case', raw: '5S' },
  { why: 'a leading zero, which some read as octal', raw: '010s' },
  { why: 'a line break at the end', raw: '5s\n' },
  { why: 'more than a number can hold exactly', raw: '999999999999d' },
  { why: 'more digits than a number has', raw: `${'9'.repeat(400)}ms` },
]) {
  test(`refused: ${why}`, () => {
    assert.throws(
      () => parseDuration(raw),
      (error) => error instanceof StdError && error.code === 'INVALID_DURATION',
    );
  });
}

for (const ms of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
  test(`${ms} is no duration to write`, () => assert.throws(() => formatDuration(ms), RangeError));
}
