import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { TemporalError } from '#kit/durable/temporal';
import { aborted } from '#kit/std';
import type { Storage } from '#kit/storage';
import { memoryLogger } from '#kit/telemetry/testing';
import { FakeLeadership } from '../testing/fake-leadership.ts';
import { runInTerm } from './run-in-term.ts';

const NO_STORAGE = {} as Storage;
const UNREACHABLE = new TemporalError('TEMPORAL_UNREACHABLE', 'connect a worker');

/** An engine that fails with each of these errors, and then runs. */
function stage(t: TestContext, failures: readonly Error[]) {
  const { log, lines } = memoryLogger();
  const runs: AbortSignal[] = [];
  const waits: number[] = [];
  const running = Promise.withResolvers<void>();
  const deps = {
    run: async (over: AbortSignal): Promise<void> => {
      const failure = failures[runs.length];
      runs.push(over);
      if (failure !== undefined) throw failure;
      running.resolve();
      await aborted(over);
    },
    sleep: async (ms: number): Promise<void> => void waits.push(ms),
    random: () => 0.9999,
    log,
  };
  const stop = new AbortController();
  const leadership = new FakeLeadership(false, NO_STORAGE);
  const done = leadership.lead('executor', ({ signal }) => runInTerm(deps, signal), stop.signal);
  t.after(() => stop.abort());
  return { leadership, runs, waits, lines, running: running.promise, done, deps, stop };
}

suite('the engine of a replica that leads', () => {
  test('is run again while its server cannot be reached, in the same term', async (t) => {
    const { leadership, runs, waits, lines, running, done, stop } = stage(t, [UNREACHABLE, UNREACHABLE, UNREACHABLE]);
    leadership.set(true);
    await Promise.race([running, done]);
    assert.equal(runs.length, 4);
    assert.equal(leadership.term('executor')?.epoch, 2);
    assert.deepEqual(waits, [500, 1_000, 2_000]);
    assert.equal(lines.filter(({ msg }) => msg === 'workflow engine not running; retrying').length, 3);
    stop.abort();
    await done;
  });

  test('ends the process with an error that a repetition would not cure', async (t) => {
    const { leadership, runs, done } = stage(t, [new TemporalError('TEMPORAL_NOT_INSTALLED', 'load it')]);
    leadership.set(true);
    await assert.rejects(done, { code: 'TEMPORAL_NOT_INSTALLED' });
    assert.equal(runs.length, 1);
  });

  test('is not run again once the term is over', async (t) => {
    const { deps, runs } = stage(t, [UNREACHABLE]);
    const over = new AbortController();
    const sleep = async (): Promise<void> => {
      over.abort(new Error('another replica leads'));
      over.signal.throwIfAborted();
    };
    await runInTerm({ ...deps, sleep }, over.signal);
    assert.equal(runs.length, 1);
  });
});
