import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { RetryPace } from './retry-pace.ts';

const backoff = { baseMs: 10, capMs: 100 };

/** Always the longest delay, so that delays are predictable. */
const random = (): number => 1 - Number.EPSILON;

test('the waits of a key grow to the cap, each key for itself, until it is forgotten', () => {
  const pace = new RetryPace({ clock: new FakeClock(), random, policy: { backoff, perSecond: 1, burst: 100 } });
  assert.deepEqual(
    Array.from({ length: 6 }, () => pace.next('a')),
    [10, 20, 40, 80, 100, 100],
  );
  assert.equal(pace.next('b'), 10);
  assert.equal(pace.failures('a'), 6);
  pace.forget('a');
  assert.equal(pace.failures('a'), 0);
  assert.equal(pace.next('a'), 10);
});

test('beyond the burst, retries of all keys share a rate', async () => {
  const clock = new FakeClock();
  const pace = new RetryPace({ clock, random, policy: { backoff, perSecond: 2, burst: 3 } });
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].map((key) => pace.next(key)),
    [10, 10, 10, 500, 1_000],
  );
  await clock.advance(1_000);
  assert.equal(pace.next('f'), 500);
  await clock.advance(60_000);
  assert.deepEqual(
    ['g', 'h', 'i', 'j'].map((key) => pace.next(key)),
    [10, 10, 10, 500],
    'time that nobody used buys no more than the burst',
  );
});
