import { assertNever, type Clock, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { KeyedQueue } from './keyed-queue.ts';
import { monotonicClock } from './monotonic-clock.ts';
import { ReconcileError } from './reconcile-error.ts';
import type { Result } from './result.ts';
import type { Runnable } from './supervisor.ts';

/** Brings what the key names closer to what it should be. It may be called at any time and as often as one likes. */
export type Reconcile = (key: string, signal: AbortSignal) => Promise<Result>;

export const OUTCOMES = ['success', 'requeue', 'requeue-after', 'error', 'terminal-error'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface WorkersObserver {
  reconciled(outcome: Outcome, ms: number): void;
  active(workers: number): void;
}

export interface WorkersOptions {
  readonly name: string;
  readonly queue: KeyedQueue;
  readonly reconcile: Reconcile;
  /** How many keys are worked on at once; 1 unless told. */
  readonly concurrency?: number;
  /** One reconcile may take this long before its signal aborts; 10 minutes unless told. */
  readonly timeoutMs?: number;
  /** On a stop, what is under way may take this long to end by itself before its signal aborts; 10 s unless told. */
  readonly drainWithinMs?: number;
  /** Aborts what is under way at once, for when the right to work is lost. */
  readonly cut?: AbortSignal;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly observer?: WorkersObserver;
  readonly log?: Logger;
}

/** Takes keys from the queue and reconciles them. It stops when nothing is under way any more, and closes the queue. */
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
      this.#sleep(drainWithinMs, ended.signal).then(
        () => this.#abortAll(signal.reason),
        // All ended in time.
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
    // A take ends when the queue is closed, which is how a stop reaches it.
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

  /** `undefined` for one that was cut off by a stop: nothing is wrong with it. */
  #settleError(key: string, { error, reason }: { error: unknown; reason: unknown }): Outcome | undefined {
    const { queue, log } = this.#options;
    if (reason !== undefined && !isTimeout(reason)) return undefined;
    if (error instanceof ReconcileError && error.code === 'TERMINAL') {
      queue.forget(key);
      log?.error({ key, err: error }, 'reconcile cannot succeed; not tried again until something changes');
      return 'terminal-error';
    }
    const retryInMs = queue.retry(key);
    log?.warn({ key, attempt: queue.failures(key), retryInMs, err: error }, 'reconcile threw; will try again');
    return 'error';
  }

  #abortAll(reason: unknown): void {
    for (const control of this.#underWay) control.abort(reason);
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof ReconcileError && reason.code === 'RECONCILE_TIMED_OUT';
}

/** Calls back once the signal is aborted, now if it is already, and no more once `until` is. */
function listen(signal: AbortSignal, onAbort: () => void, until: AbortSignal): void {
  if (signal.aborted) return onAbort();
  signal.addEventListener('abort', onAbort, { once: true, signal: until });
}
