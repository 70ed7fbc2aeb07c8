import { aborted, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { ReconcileError } from './reconcile-error.ts';

/** A named long-running task. It runs until the signal aborts, cleans up, and then returns or throws the abort reason. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Runnables that start together and stop together. */
export interface RunnableGroup {
  readonly name: string;
  readonly runnables: readonly Runnable[];
  /** Time limit for stopping, counted from the request to stop. */
  readonly stopWithinMs: number;
}

export interface SupervisorOptions {
  readonly log?: Logger;
  readonly sleep?: Sleep;
}

const STOP_WITHIN_MS = 30_000;

/** `runGroups` with a single group and 30 seconds to stop. */
export function runAll(
  runnables: readonly Runnable[],
  signal: AbortSignal,
  options: SupervisorOptions = {},
): Promise<void> {
  return runGroups([{ name: 'all', runnables, stopWithinMs: STOP_WITHIN_MS }], signal, options);
}

/**
 * Runs everything until the signal aborts, or until the first runnable ends by itself. The latter is a failure even
 * without an error, since the runnable was not asked to stop.
 *
 * Groups start in the given order, dependencies first, and stop in reverse: a group is asked to stop when all later
 * groups have ended. A group that is still running at its deadline is abandoned, so that the groups below it can stop.
 *
 * Returns after a requested stop without failures. Otherwise throws the failures in the order in which they happened:
 * one `ReconcileError` that names the runnable, or an `AggregateError` of them.
 */
export async function runGroups(
  groups: readonly RunnableGroup[],
  signal: AbortSignal,
  options: SupervisorOptions = {},
): Promise<void> {
  const { log, sleep = realSleep } = options;
  const failures: ReconcileError[] = [];
  const ended = new AbortController();
  const fail = (failure: ReconcileError): void => {
    log?.error({ err: failure }, 'a part of the process ended badly; stopping what is left');
    failures.push(failure);
    ended.abort(failure);
  };

  const running = groups.map((group) => start(group, fail));
  const reason = await firstAbort([signal, ended.signal]);
  for (const group of running.toReversed()) {
    log?.info({ group: group.name, deadlineMs: group.stopWithinMs }, 'stopping');
    await group.stop(reason, sleep).catch(fail);
  }
  const [first, ...more] = failures;
  if (more.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  if (first) throw first;
}

interface RunningGroup {
  readonly name: string;
  readonly stopWithinMs: number;
  stop(reason: unknown, sleep: Sleep): Promise<void>;
}

function start(
  { name, runnables, stopWithinMs }: RunnableGroup,
  fail: (failure: ReconcileError) => void,
): RunningGroup {
  const asked = new AbortController();
  const running = new Set(runnables);
  const ends = runnables.map(async (runnable) => {
    const failure = await outcome(runnable, asked.signal);
    running.delete(runnable);
    if (failure) fail(failure);
  });
  return {
    name,
    stopWithinMs,
    stop: async (reason, sleep) => {
      asked.abort(reason);
      const done = new AbortController();
      // When the whole group has ended, the wait for the deadline is aborted; that is not a failure.
      const deadline = sleep(stopWithinMs, done.signal).catch(() => undefined);
      await Promise.race([Promise.all(ends), deadline]);
      done.abort();
      if (running.size === 0) return;
      const names = [...running].map((runnable) => runnable.name);
      throw new ReconcileError('STOP_TIMED_OUT', `stop ${names.join(', ')} within ${stopWithinMs} ms`, {
        details: { runnables: names },
      });
    },
  };
}

/** The failure of a runnable that has ended, if any. */
async function outcome(runnable: Runnable, asked: AbortSignal): Promise<ReconcileError | undefined> {
  const { name } = runnable;
  const details = { runnable: name };
  try {
    await runnable.run(asked);
    if (asked.aborted) return undefined;
    return new ReconcileError('RUNNABLE_STOPPED', `run ${name}: it stopped unexpectedly`, { details });
  } catch (error) {
    if (asked.aborted && isAnswer(error, asked.reason)) return undefined;
    return new ReconcileError('RUNNABLE_FAILED', `run ${name}`, { cause: error, details });
  }
}

/** Whether the error only acknowledges the stop: the reason itself or Node's `AbortError`, possibly wrapped. */
function isAnswer(error: unknown, reason: unknown, depth = 0): boolean {
  if (error === reason) return true;
  if (!(error instanceof Error) || depth > 8) return false;
  return error.name === 'AbortError' || isAnswer(error.cause, reason, depth + 1);
}

/** The reason of the signal that aborts first. */
async function firstAbort(signals: readonly AbortSignal[]): Promise<unknown> {
  const any = AbortSignal.any([...signals]);
  await aborted(any);
  return any.reason;
}
