import { sleep as realSleep } from '#kit/std';
import { type AddOptions, KeyedQueue, type QueueObserver } from './keyed-queue.ts';
import { createResync, type ResyncOptions } from './resync.ts';
import type { RetryPolicy } from './retry-pace.ts';
import { type Runnable, runGroups } from './supervisor.ts';
import { createWorkers, type WorkersObserver, type WorkersOptions } from './workers.ts';

/** Queues a key: it is reconciled soon after, or after a delay. */
export type Wake = (key: string, options?: AddOptions) => void;

/** Starts to queue the keys of what it observes; returns a function that stops it. */
export type Feed = (wake: Wake) => () => void;

export interface ControllerObserver {
  readonly queue: QueueObserver;
  readonly workers: WorkersObserver;
  started(options: { readonly concurrency: number }): void;
  /** How long each reconcile in progress has taken so far. */
  inProgress(ms: readonly number[]): void;
}

export interface ControllerOptions
  extends Omit<WorkersOptions, 'queue' | 'observer'>,
    Pick<ResyncOptions, 'keys' | 'random'> {
  readonly retries?: RetryPolicy;
  /** Interval of reconciling all keys; off by default. */
  readonly resyncMs?: number;
  /** Resolves once the state that a reconcile reads is there; nothing is fed or reconciled before. */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
  /** Each starts with the keys that exist when it is called: it is called once everything is ready. */
  readonly feeds?: readonly Feed[];
  readonly observer?: ControllerObserver;
}

const PROGRESS_EVERY_MS = 500;
const DRAIN_WITHIN_MS = 10_000;
/** Time for reconciles that were aborted at the end of the drain. */
const ABORT_WITHIN_MS = 5_000;

/**
 * A queue, its workers and a resync as one runnable. It runs once. Keys come from its feeds, from its own reconciles, and
 * from all that call `wake`, also before it runs.
 */
export class Controller implements Runnable {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #queue: KeyedQueue;

  constructor(options: ControllerOptions) {
    const { name, clock, sleep, random, retries, observer } = options;
    this.name = name;
    this.#options = options;
    this.#queue = new KeyedQueue({
      ...(clock && { clock }),
      ...(sleep && { sleep }),
      ...(random && { random }),
      ...(retries && { retries }),
      ...(observer && { observer: observer.queue }),
    });
  }

  readonly wake: Wake = (key, options) => this.#queue.add(key, options);

  async run(signal: AbortSignal): Promise<void> {
    const { ready, feeds = [], concurrency = 1, drainWithinMs = DRAIN_WITHIN_MS, sleep, observer, log } = this.#options;
    observer?.started({ concurrency });
    const ends: (() => void)[] = [];
    try {
      if (ready) await ready(signal);
      for (const feed of feeds) ends.push(feed(this.wake));
      log?.info({ count: concurrency }, 'ready; reconciling');
      const stopWithinMs = drainWithinMs + ABORT_WITHIN_MS;
      const group = { name: this.name, runnables: this.#runnables(), stopWithinMs };
      await runGroups([group], signal, { ...(sleep && { sleep }) });
    } finally {
      for (const end of ends) end();
      this.#queue.close();
    }
  }

  #runnables(): readonly Runnable[] {
    const { resyncMs, observer, ready: _, feeds: __, retries: ___, ...options } = this.#options;
    const { name } = this;
    const queue = this.#queue;
    const workers = createWorkers({ ...options, queue, ...(observer && { observer: observer.workers }) });
    const resync =
      resyncMs === undefined ? [] : [createResync({ ...options, name: `${name} resync`, queue, everyMs: resyncMs })];
    const progress = observer && {
      name: `${name} progress`,
      run: (signal: AbortSignal) => this.#progress(observer, signal),
    };
    return [workers, ...resync, ...(progress ? [progress] : [])];
  }

  async #progress(observer: ControllerObserver, signal: AbortSignal): Promise<void> {
    const { sleep = realSleep } = this.#options;
    for (;;) {
      observer.inProgress(this.#queue.inProgress());
      await sleep(PROGRESS_EVERY_MS, signal);
    }
  }
}
