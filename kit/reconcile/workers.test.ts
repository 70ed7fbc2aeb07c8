import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import { KeyedQueue } from './keyed-queue.ts';
import { ReconcileError } from './reconcile-error.ts';
import { BACK_OFF, DONE, type Result, requeueAfter } from './result.ts';
import { createWorkers, type Outcome, type Reconcile, type WorkersOptions } from './workers.ts';

function setUp(reconcile: Reconcile, options: Partial<WorkersOptions> = {}) {
  const clock = new FakeClock();
  const queue = new KeyedQueue({ clock, sleep: clock.sleep, random: () => 1 - Number.EPSILON });
  const outcomes: Outcome[] = [];
  const { log, lines } = memoryLogger();
  const stop = new AbortController();
  const workers = createWorkers({
    name: 'workers',
    queue,
    reconcile,
    clock,
    sleep: clock.sleep,
    log,
    observer: { reconciled: (outcome) => outcomes.push(outcome), active: () => undefined },
    ...options,
  });
  return { clock, queue, outcomes, lines, stop, run: () => workers.run(stop.signal) };
}

for (const { why, result, want, againAfterMs } of [
  { why: 'done is not looked at again', result: DONE, want: 'success', againAfterMs: undefined },
  { why: 'requeue-after comes again then', result: requeueAfter(500), want: 'requeue-after', againAfterMs: 500 },
  { why: 'back-off comes again soon', result: BACK_OFF, want: 'requeue', againAfterMs: 20 },
  { why: 'an error comes again soon', result: new Error('no'), want: 'error', againAfterMs: 20 },
  {
    why: 'a terminal error does not',
    result: new ReconcileError('TERMINAL', 'read a'),
    want: 'terminal-error',
    againAfterMs: undefined,
  },
] as const) {
  test(why, async () => {
    const results: (Result | Error)[] = [result];
    const at: number[] = [];
    const { clock, queue, outcomes, stop, run } = setUp(() => {
      at.push(clock.now());
      const next = results.shift() ?? DONE;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    });
    const begun = clock.now();
    const done = run();
    queue.add('a');
    await turn();
    await clock.advance(10_000);
    stop.abort();
    await done;
    const again = againAfterMs === undefined ? [] : [begun + againAfterMs];
    assert.deepEqual(at, [begun, ...again]);
    assert.deepEqual(outcomes, [want, ...again.map(() => 'success' as const)]);
    assert.equal(clock.sleeping, 0, 'no wait is left behind');
  });
}

test('a success ends the row of failures, and each failure waits longer', async () => {
  const results = [new Error('1'), new Error('2'), new Error('3'), DONE, new Error('4'), DONE];
  const at: number[] = [];
  const { clock, queue, stop, run } = setUp(() => {
    at.push(clock.now());
    const next = results.shift() ?? DONE;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  });
  const done = run();
  queue.add('a');
  await turn();
  await clock.advance(10_000);
  queue.add('a');
  await turn();
  await clock.advance(10_000);
  stop.abort();
  await done;
  const gaps = at.map((time, index) => time - (at[index - 1] ?? time));
  assert.deepEqual([gaps[1], gaps[2], gaps[3], gaps[5]], [20, 40, 80, 20]);
});

test('a stop lets what is under way end, and takes nothing more', async () => {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const { queue, stop, run } = setUp(async (key, signal) => {
    begun.push(key);
    await gate.promise;
    assert.ok(!signal.aborted);
    return DONE;
  });
  const done = run();
  queue.add('a');
  queue.add('b');
  await turn();
  stop.abort();
  await turn();
  gate.resolve();
  await done;
  assert.deepEqual(begun, ['a']);
});

/** Waits for its signal and a moment longer, and then throws the reason. */
function untilAborted(ended: string[]): Reconcile {
  return async (key, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await turn();
    ended.push(key);
    throw signal.reason;
  };
}

test('what does not end within the drain is aborted, and still awaited', async () => {
  const ended: string[] = [];
  const { clock, queue, outcomes, lines, stop, run } = setUp(untilAborted(ended), { drainWithinMs: 300 });
  const done = run();
  queue.add('a');
  await turn();
  stop.abort(new Error('SIGTERM'));
  await clock.advance(299);
  assert.deepEqual(ended, []);
  await clock.advance(1);
  await done;
  assert.deepEqual(ended, ['a']);
  assert.deepEqual([outcomes, lines], [[], []], 'to be cut off by a stop is no outcome, and not worth a line');
});

test('a cut aborts at once, without a drain', async () => {
  const ended: string[] = [];
  const cut = new AbortController();
  const { clock, queue, run } = setUp(untilAborted(ended), { cut: cut.signal, concurrency: 2 });
  const done = run();
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await turn();
  cut.abort(new Error('the right to work is lost'));
  await done;
  assert.deepEqual(ended, ['a', 'b'], 'and nothing is begun any more');
  assert.equal(clock.sleeping, 0);
});

test('a stop and a cut that came before the start are heeded', async () => {
  const { queue, run } = setUp(() => Promise.reject(new Error('begun')), { cut: AbortSignal.abort() });
  queue.add('a');
  await run();
});

test('a reconcile that takes too long is aborted and tried again', async () => {
  const ended: string[] = [];
  const { clock, queue, outcomes, lines, stop, run } = setUp(untilAborted(ended), { timeoutMs: 1_000 });
  const done = run();
  queue.add('a');
  await turn();
  await clock.advance(1_000);
  await turn();
  assert.deepEqual(outcomes, ['error']);
  assert.equal((lines[0]?.['err'] as { code?: string } | undefined)?.code, 'RECONCILE_TIMED_OUT');
  await clock.advance(20);
  stop.abort();
  await clock.advance(10_000);
  await done;
  assert.deepEqual(ended, ['a', 'a']);
});
