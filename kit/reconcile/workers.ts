import { assertNever, type Clock, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { KeyedQueue } from './keyed-queue.ts';
import { monotonicClock } from './monotonic-clock.ts';
import { ReconcileError } from './reconcile-error.ts';
import type { Result } from './result.ts';
import type { Runnable } from './supervisor.ts';

/**
 * Brings the object named by the key closer to its desired state. Must be idempotent: it may be called at any time, any
 * number of times.
 */
export type Reconcile = (key: string, signal: AbortSignal) => Promise<Result>;

const OUTCOMES = ['success', 'requeue', 'requeue-after', 'error', 'terminal-error'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface WorkersObserver {
  reconciled(outcome: Outcome, ms: number): void;
  active(workers: number): void;
}

export interface WorkersOptions {
  readonly name: string;
  readonly queue: KeyedQueue;
  readonly reconcile: Reconcile;
  /** How many keys are processed concurrently; 1 by default. */
  readonly concurrency?: number;
  /** Time limit of one reconcile; its signal aborts then. 10 minutes by default. */
  readonly timeoutMs?: number;
  /** On a stop, reconciles in progress get this long to finish before their signals abort; 10 s by default, 0 for none. */
  readonly drainWithinMs?: number;
  /** Aborts the reconciles in progress at once, for when leadership or another right to act is lost. */
  readonly cut?: AbortSignal;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly observer?: WorkersObserver;
  readonly log?: Logger;
}

/** Takes keys from the queue and reconciles them. On a stop, closes the queue and ends when no reconcile is in progress. */
export function createWorkers(options: WorkersOptions): Runnable {
  return { name: options.name, run: (signal) => new Workers(options).run(signal) };
}

class Workers {
  readonly #options: WorkersOptions;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #underWay = new Set<AbortController>();

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#clock = options.clock ?? monotonicClock;
    this.#sleep = options.sleep ?? realSleep;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { queue, cut, concurrency = 1, drainWithinMs = 10_000 } = this.#options;
    const ended = new AbortController();
    const stop = (): void => {
      queue.close();
      if (drainWithinMs === 0) return this.#abortAll(signal.reason);
      this.#sleep(drainWithinMs, ended.signal).then(
        () => this.#abortAll(signal.reason),
        // All reconciles ended in time.
        () => undefined,
      );
    };
    const onCut = (): void => {
      queue.close();
      this.#abortAll(cut?.reason);
    };
    listen(signal, stop, ended.signal);
    if (cut) listen(cut, onCut, ended.signal);
    try {
      await Promise.all(Array.from({ length: concurrency }, () => this.#work()));
    } finally {
      ended.abort();
      queue.close();
    }
  }

  async #work(): Promise<void> {
    const { queue } = this.#options;
    // A stop closes the queue, which ends the pending takes.
    const { signal } = new AbortController();
    for (let key = await queue.take(signal); key !== undefined; key = await queue.take(signal)) {
      try {
        await this.#once(key);
      } finally {
        queue.done(key);
      }
    }
  }

  async #once(key: string): Promise<void> {
    const { observer, timeoutMs = 600_000, reconcile } = this.#options;
    const begun = this.#clock.now();
    const control = new AbortController();
    const ended = new AbortController();
    this.#underWay.add(control);
    observer?.active(this.#underWay.size);
    this.#sleep(timeoutMs, ended.signal).then(
      () => control.abort(new ReconcileError('RECONCILE_TIMED_OUT', `reconcile ${key} within ${timeoutMs} ms`)),
      () => undefined,
    );
    let outcome: Outcome | undefined;
    try {
      outcome = this.#settle(key, await reconcile(key, control.signal));
    } catch (error) {
      outcome = this.#settleError(key, { error, reason: control.signal.reason });
    } finally {
      ended.abort();
      this.#underWay.delete(control);
      observer?.active(this.#underWay.size);
      if (outcome) observer?.reconciled(outcome, this.#clock.now() - begun);
    }
  }

  #settle(key: string, result: Result): Outcome {
    const { queue } = this.#options;
    switch (result.kind) {
      case 'done':
        queue.forget(key);
        return 'success';
      case 'requeue-after':
        queue.forget(key);
        queue.add(key, { afterMs: result.ms });
        return 'requeue-after';
      case 'back-off':
        queue.retry(key);
        return 'requeue';
      default:
        return assertNever(result, 'result of a reconcile');
    }
  }

  /** `undefined` for a reconcile that a stop interrupted: this is not a failure. */
  #settleError(key: string, { error, reason }: { error: unknown; reason: unknown }): Outcome | undefined {
    const { queue, log } = this.#options;
    if (reason !== undefined && !isTimeout(reason)) return undefined;
    if (error instanceof ReconcileError && error.code === 'TERMINAL') {
      queue.forget(key);
      log?.error({ key, err: error }, 'reconcile failed permanently; not retried until the key is added again');
      return 'terminal-error';
    }
    const retryInMs = queue.retry(key);
    log?.warn({ key, attempt: queue.failures(key), retryInMs, err: error }, 'reconcile failed; retrying');
    return 'error';
  }

  #abortAll(reason: unknown): void {
    for (const control of this.#underWay) control.abort(reason);
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof ReconcileError && reason.code === 'RECONCILE_TIMED_OUT';
}

/** Calls `onAbort` when the signal aborts, at once if it already has, and no longer after `until` aborts. */
function listen(signal: AbortSignal, onAbort: () => void, until: AbortSignal): void {
  if (signal.aborted) return onAbort();
  signal.addEventListener('abort', onAbort, { once: true, signal: until });
}
