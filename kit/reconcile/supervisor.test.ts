import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '#kit/std';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeClock } from '#testing/fake-clock';
import { ReconcileError } from './reconcile-error.ts';
import { type Runnable, runAll, runGroups } from './supervisor.ts';

/** Runs until stopped, records when it was asked to stop and when it ended, and can be made to end in other ways. */
class Probe implements Runnable {
  readonly name: string;
  readonly #seen: string[];
  readonly #atEnd: (signal: AbortSignal) => Promise<void>;
  readonly end = Promise.withResolvers<void>();

  constructor(name: string, seen: string[], atEnd: (signal: AbortSignal) => Promise<void> = () => Promise.resolve()) {
    this.name = name;
    this.#seen = seen;
    this.#atEnd = atEnd;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#seen.push(`${this.name} runs`);
    const asked = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.end.promise, asked]);
    if (signal.aborted) this.#seen.push(`${this.name} asked`);
    await this.#atEnd(signal);
    this.#seen.push(`${this.name} ended`);
  }
}

function failure(code: string, name: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ReconcileError, String(error));
    assert.equal(error.code, code);
    assert.ok(error.message.includes(name), error.message);
    return true;
  };
}

test('a stop that was asked for reaches all, is awaited and is no failure', async () => {
  const seen: string[] = [];
  const stop = new AbortController();
  const done = runAll([new Probe('a', seen), new Probe('b', seen)], stop.signal);
  stop.abort();
  await done;
  assert.deepEqual(seen, ['a runs', 'b runs', 'a asked', 'b asked', 'a ended', 'b ended']);
});

test('a failure stops and awaits the others, and names who failed and why', async () => {
  const seen: string[] = [];
  const [bad, good] = [new Probe('bad', seen), new Probe('good', seen)];
  const cause = new Error('disk gone');
  const done = runAll([good, bad], new AbortController().signal);
  bad.end.reject(cause);
  await assert.rejects(done, (error) => {
    assert.ok(failure('RUNNABLE_FAILED', 'bad')(error));
    assert.equal((error as Error).cause, cause);
    return true;
  });
  assert.deepEqual(seen.slice(2), ['good asked', 'good ended']);
});

test('one that throws before its first await is a failure like any other', async () => {
  const thrower: Runnable = {
    name: 'thrower',
    run: () => {
      throw new Error('at once');
    },
  };
  await assert.rejects(runAll([thrower], new AbortController().signal), failure('RUNNABLE_FAILED', 'thrower'));
});

test('one that returns although nobody asked has stopped unexpectedly', async () => {
  const seen: string[] = [];
  const [early, good] = [new Probe('early', seen), new Probe('good', seen)];
  const done = runAll([early, good], new AbortController().signal);
  early.end.resolve();
  await assert.rejects(done, failure('RUNNABLE_STOPPED', 'early'));
  assert.ok(seen.includes('good ended'));
});

test('several failures come together, in the order in which they happened', async () => {
  const seen: string[] = [];
  const second = new Probe('second', seen, () => Promise.reject(new Error('on the way out')));
  const first = new Probe('first', seen);
  const done = runAll([second, first], new AbortController().signal);
  first.end.reject(new Error('to begin with'));
  await assert.rejects(done, (error) => {
    assert.ok(error instanceof AggregateError);
    assert.equal(error.errors.length, 2);
    return (
      failure('RUNNABLE_FAILED', 'first')(error.errors[0]) && failure('RUNNABLE_FAILED', 'second')(error.errors[1])
    );
  });
});

for (const { why, answer } of [
  { why: 'the reason itself', answer: (signal: AbortSignal) => Promise.reject(signal.reason) },
  { why: 'what a wait of ours makes of it', answer: (signal: AbortSignal) => sleep(1_000, signal) },
  { why: 'what Node makes of it', answer: () => Promise.reject(new DOMException('aborted', 'AbortError')) },
  {
    why: 'the reason as a cause',
    answer: (signal: AbortSignal) => Promise.reject(new Error('poll', { cause: signal.reason })),
  },
]) {
  test(`${why} is an answer to a stop, not a failure`, async () => {
    const stop = new AbortController();
    const done = runAll([new Probe('a', [], answer)], stop.signal);
    stop.abort(new Error('SIGTERM'));
    await done;
  });
}

for (const { why, error } of [
  { why: 'an error of its own', error: new Error('flush') },
  { why: 'a deadline of its own', error: new DOMException('too slow', 'TimeoutError') },
  {
    why: 'an error that is its own cause',
    error: Object.assign(new Error('loop'), {
      get cause() {
        return this;
      },
    }),
  },
]) {
  test(`${why} while stopping is a failure`, async () => {
    const stop = new AbortController();
    const done = runAll([new Probe('a', [], () => Promise.reject(error))], stop.signal);
    stop.abort();
    await assert.rejects(done, failure('RUNNABLE_FAILED', 'a'));
  });
}

test('groups start in order and stop in reverse, each after the one before has ended', async () => {
  const seen: string[] = [];
  const stop = new AbortController();
  const groups = ['storage', 'dispatch', 'serve'].map((name) => {
    return { name, runnables: [new Probe(name, seen)], stopWithinMs: 1_000 };
  });
  const done = runGroups(groups, stop.signal);
  stop.abort();
  await done;
  assert.deepEqual(seen, [
    'storage runs',
    'dispatch runs',
    'serve runs',
    'serve asked',
    'serve ended',
    'dispatch asked',
    'dispatch ended',
    'storage asked',
    'storage ended',
  ]);
});

test('one below that ends while those above still stop has ended unasked', async () => {
  const seen: string[] = [];
  const stop = new AbortController();
  const gate = Promise.withResolvers<void>();
  const below = new Probe('below', seen);
  const above = new Probe('above', seen, () => gate.promise);
  const done = runGroups(
    [
      { name: 'one', runnables: [below], stopWithinMs: 1_000 },
      { name: 'two', runnables: [above], stopWithinMs: 1_000 },
    ],
    stop.signal,
  );
  stop.abort();
  below.end.resolve();
  gate.resolve();
  await assert.rejects(done, failure('RUNNABLE_STOPPED', 'below'));
});

test('a group that is stuck is given up at its deadline, by name, and the ones below get their turn', async () => {
  const seen: string[] = [];
  const clock = new FakeClock();
  const stop = new AbortController();
  const never = new Promise<void>(() => undefined);
  const done = runGroups(
    [
      { name: 'one', runnables: [new Probe('below', seen)], stopWithinMs: 1_000 },
      { name: 'two', runnables: [new Probe('stuck', seen, () => never), new Probe('fine', seen)], stopWithinMs: 5_000 },
    ],
    stop.signal,
    { sleep: clock.sleep },
  );
  const failed = assert.rejects(done, (error) => {
    assert.ok(failure('STOP_TIMED_OUT', 'stuck')(error));
    assert.deepEqual((error as ReconcileError).details, { runnables: ['stuck'] });
    return true;
  });
  stop.abort();
  await clock.untilSleeping();
  await clock.advance(4_999);
  assert.ok(!seen.includes('below asked'));
  await clock.advance(1);
  await failed;
  assert.deepEqual(seen.slice(-2), ['below asked', 'below ended']);
  assert.equal(clock.sleeping, 0, 'no wait for a deadline is left behind');
});

test('what fails is logged when it fails, and the stop as it goes', async () => {
  const { log, lines } = memoryLogger();
  const bad: Runnable = { name: 'bad', run: () => Promise.reject(new Error('disk gone')) };
  await assert.rejects(runAll([bad], new AbortController().signal, { log }));
  assert.deepEqual(
    lines.map(({ level, msg }) => `${level} ${msg}`),
    ['error a part of the process ended badly; stopping what is left', 'info stopping'],
  );
});
