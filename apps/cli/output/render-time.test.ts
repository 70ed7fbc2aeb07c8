import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTime, renderTimeFrom } from './render-time.ts';

const TIME = '2030-01-01T00:00:00.123Z';

test('a time is told to the second', () => assert.equal(renderTime(TIME), '2030-01-01T00:00:00Z'));

for (const { away, want } of [
  { away: 0, want: '0s ago' },
  { away: 119_999, want: '119s ago' },
  { away: 120_000, want: '2m ago' },
  { away: 2 * 3_600_000, want: '2h ago' },
  { away: 47 * 3_600_000, want: '47h ago' },
  { away: 10 * 86_400_000, want: '10d ago' },
  { away: -90_000, want: 'in 90s' },
  { away: -3 * 86_400_000, want: 'in 3d' },
]) {
  test(`${want}`, () => {
    assert.equal(renderTimeFrom(TIME, Date.parse(TIME) + away), `2030-01-01T00:00:00Z (${want})`);
  });
}
