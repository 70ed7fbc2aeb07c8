import {
  BACK_OFF,
  createResync,
  createWorkers,
  KeyedQueue,
  type Result,
  type RetryPolicy,
  type Runnable,
  requeueAfter,
  runGroups,
} from '#kit/reconcile';
import { type Clock, type Random, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { ObjectKey } from '../cache/object-store.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { isKubeError } from '../kube-error.ts';
import { ControllerError } from './controller-error.ts';
import type { ControllerMetrics, ControllerObserver } from './controller-metrics.ts';
import type { Expectations } from './expectations.ts';
import { formatKey, keyOf, parseKey } from './object-key.ts';
import type { WatchSource } from './watch-source.ts';

/** Brings the object of the key to its desired state, based on the caches. The object may be gone. */
export type ReconcileKey = (key: ObjectKey, signal: AbortSignal) => Promise<Result>;

export interface ControllerOptions {
  readonly name: string;
  readonly sources: readonly WatchSource[];
  /** All reconciled objects, for a resync. */
  readonly keys: () => Iterable<KubeObject>;
  readonly reconcile: ReconcileKey;
  readonly expectations?: Expectations;
  readonly concurrency?: number;
  /** See `WorkersOptions`. */
  readonly timeoutMs?: number;
  readonly drainWithinMs?: number;
  readonly cut?: AbortSignal;
  readonly retries?: RetryPolicy;
  /** Interval of reconciling everything; off by default. */
  readonly resyncMs?: number;
  /** Time limit of the first lists; 2 minutes by default. */
  readonly syncWithinMs?: number;
  readonly metrics?: ControllerMetrics;
  /** A monotonic clock. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  readonly log?: Logger;
}

const PROGRESS_EVERY_MS = 500;
/** Time for reconciles that were aborted at the end of the drain. */
const ABORT_WITHIN_MS = 5_000;

/** Reconciles each key that its sources name, after all caches have their first list. */
export class Controller implements Runnable {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #observer: ControllerObserver | undefined;
  readonly #log: Logger | undefined;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#observer = options.metrics?.controller(options.name);
    this.#log = options.log?.child({ component: options.name });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sources, concurrency = 1, drainWithinMs = 10_000, sleep, random, clock, retries } = this.#options;
    this.#observer?.started({ concurrency });
    const queue = new KeyedQueue({
      ...(clock && { clock }),
      ...(sleep && { sleep }),
      ...(random && { random }),
      ...(retries && { retries }),
      ...(this.#observer && { observer: this.#observer.queue }),
    });
    const feeds = sources.map((source) => source.feed(queue));
    try {
      await this.#synced(signal);
      this.#log?.info({ count: concurrency }, 'caches synced; reconciling');
      const stopWithinMs = drainWithinMs + ABORT_WITHIN_MS;
      await runGroups([{ name: this.name, runnables: this.#runnables(queue), stopWithinMs }], signal, {
        ...(sleep && { sleep }),
      });
    } finally {
      for (const end of feeds) end();
      queue.close();
    }
  }

  #runnables(queue: KeyedQueue): readonly Runnable[] {
    const { keys, resyncMs, sources: _, metrics: __, reconcile: ___, ...options } = this.#options;
    const { sleep = realSleep } = options;
    const workers = createWorkers({
      ...options,
      queue,
      reconcile: (key, signal) => this.#reconcile(parseKey(key), signal),
      ...(this.#observer && { observer: this.#observer.workers }),
      ...(this.#log && { log: this.#log }),
    });
    const resync =
      resyncMs === undefined
        ? []
        : [
            createResync({
              ...options,
              name: `${this.name} resync`,
              queue,
              everyMs: resyncMs,
              keys: () => Iterator.from(keys()).map((object) => formatKey(keyOf(object))),
            }),
          ];
    return [
      workers,
      ...resync,
      { name: `${this.name} progress`, run: (signal) => this.#progress(queue, sleep, signal) },
    ];
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Result> {
    const { expectations, reconcile } = this.#options;
    const waitMs = expectations?.waitMs(key) ?? 0;
    // The cache does not show the last writes yet. It adds the key when it does.
    if (waitMs > 0) return requeueAfter(waitMs);
    try {
      return await reconcile(key, signal);
    } catch (error) {
      // Another write was faster: its result is on its way to the cache. This is normal and not a failure.
      if (isKubeError(error, 'CONFLICT')) return BACK_OFF;
      throw error;
    }
  }

  async #synced(signal: AbortSignal): Promise<void> {
    const { sources, syncWithinMs = 120_000, sleep = realSleep } = this.#options;
    const over = new AbortController();
    const late = sleep(syncWithinMs, AbortSignal.any([signal, over.signal])).then(() => {
      throw new ControllerError('CACHE_NOT_SYNCED', `start ${this.name}: caches not synced after ${syncWithinMs} ms`);
    });
    try {
      await Promise.race([Promise.all(sources.map((source) => source.synced(signal))), late]);
    } finally {
      over.abort();
      // It lost the race; the result does not matter.
      await late.catch(() => undefined);
    }
  }

  async #progress(queue: KeyedQueue, sleep: Sleep, signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#observer?.inProgress(queue.inProgress());
      await sleep(PROGRESS_EVERY_MS, signal);
    }
  }
}
