import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '#testing/fake-clock';
import { StdError } from '../std-error.ts';
import { type BackoffPolicy, backoffDelay, type RetryOptions, retry } from './backoff.ts';

const signal = new AbortController().signal;
const almostOne = (): number => 1 - Number.EPSILON;

for (const { why, attempt, random, want } of [
  { why: 'the first failure waits up to the base', attempt: 1, random: almostOne, want: 100 },
  { why: 'each failure doubles the bound', attempt: 3, random: almostOne, want: 400 },
  { why: 'the cap holds', attempt: 5, random: almostOne, want: 1_000 },
  { why: 'a power beyond all numbers is still the cap', attempt: 100_000, random: almostOne, want: 1_000 },
  { why: 'full jitter goes down to nothing', attempt: 3, random: () => 0, want: 0 },
]) {
  test(why, () => assert.equal(backoffDelay({ baseMs: 100, capMs: 1_000 }, attempt, random), want));
}

test('a delay is whole, never negative and never beyond the bound', () => {
  const policies = fc
    .record({
      baseMs: fc.integer({ min: 1, max: 5_000 }),
      more: fc.nat(60_000),
      factor: fc.integer({ min: 1, max: 5 }),
    })
    .map(({ baseMs, more, factor }): BackoffPolicy => ({ baseMs, capMs: baseMs + more, factor }));
  const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(policies, fc.integer({ min: 1, max: 2_000 }), draws, (policy, attempt, draw) => {
      const delay = backoffDelay(policy, attempt, () => draw);
      assert.ok(Number.isInteger(delay) && delay >= 0 && delay <= policy.capMs);
      assert.ok(attempt > 1 || delay <= policy.baseMs);
    }),
  );
});

for (const { why, policy, attempt } of [
  { why: 'no base', policy: { baseMs: 0, capMs: 10 }, attempt: 1 },
  { why: 'a cap below the base', policy: { baseMs: 10, capMs: 5 }, attempt: 1 },
  { why: 'a factor that shrinks', policy: { baseMs: 10, capMs: 50, factor: 0.5 }, attempt: 1 },
  { why: 'attempts from zero', policy: { baseMs: 10, capMs: 50 }, attempt: 0 },
]) {
  test(`refused: ${why}`, () => assert.throws(() => backoffDelay(policy, attempt, Math.random), RangeError));
}

const later = new StdError('RETRIES_EXHAUSTED', 'stand-in for what may succeed later');
const never = new StdError('INVALID_NAME', 'stand-in for what never will');

function options(clock: FakeClock): RetryOptions {
  return {
    what: 'call the peer',
    policy: { baseMs: 100, capMs: 1_000 },
    attempts: 3,
    sleep: clock.sleep,
    random: almostOne,
  };
}

test('tries again after each wait until it succeeds', async () => {
  const clock = new FakeClock(0);
  const at: number[] = [];
  const done = retry(
    async (_, attempt) => {
      at.push(clock.now());
      if (attempt < 3) throw later;
      return 'answer';
    },
    options(clock),
    signal,
  );
  await clock.untilSleeping();
  await clock.advance(10_000);
  assert.equal(await done, 'answer');
  assert.deepEqual(at, [0, 100, 300]);
});

test('gives up after so many attempts, with the last error as the cause', async () => {
  const clock = new FakeClock();
  const done = retry(() => Promise.reject(later), options(clock), signal);
  const failed = assert.rejects(done, (error) => {
    assert.ok(error instanceof StdError);
    assert.equal(error.code, 'RETRIES_EXHAUSTED');
    assert.equal(error.cause, later);
    assert.deepEqual(error.details, { attempts: 3 });
    return true;
  });
  await clock.untilSleeping();
  await clock.advance(10_000);
  await failed;
});

for (const { why, error, isRetryable } of [
  { why: 'its catalogue says never', error: never, isRetryable: undefined },
  { why: 'nobody knows what it is', error: new TypeError('a bug'), isRetryable: undefined },
  { why: 'the caller says so', error: later, isRetryable: () => false },
]) {
  test(`an error comes through at once, as it is, when ${why}`, async () => {
    const clock = new FakeClock();
    let calls = 0;
    const body = (): Promise<never> => {
      calls += 1;
      return Promise.reject(error);
    };
    const caught = await retry(body, { ...options(clock), ...(isRetryable && { isRetryable }) }, signal).catch(
      (thrown: unknown) => thrown,
    );
    assert.equal(caught, error);
    assert.equal(calls, 1);
  });
}

test('an abort ends the wait and nothing is tried again', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let calls = 0;
  const done = retry(
    () => {
      calls += 1;
      return Promise.reject(later);
    },
    options(clock),
    stop.signal,
  );
  await clock.untilSleeping();
  stop.abort(new Error('enough'));
  await assert.rejects(done, { message: 'enough' });
  assert.equal(calls, 1);
  assert.equal(clock.sleeping, 0);
});

test('an abort during the body is not taken for a failure worth another try', async () => {
  const stop = new AbortController();
  const body = (): Promise<never> => {
    stop.abort(new Error('enough'));
    return Promise.reject(later);
  };
  await assert.rejects(retry(body, options(new FakeClock()), stop.signal), { message: 'enough' });
});
