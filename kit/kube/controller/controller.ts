import {
  type AddOptions,
  BACK_OFF,
  Controller,
  type ControllerOptions,
  type Result,
  type Runnable,
  requeueAfter,
} from '#kit/reconcile';
import { sleep as realSleep } from '#kit/std';
import type { ObjectKey } from '../cache/object-store.ts';
import type { KubeObject } from '../client/kube-object.ts';
import { isKubeError } from '../kube-error.ts';
import { ControllerError } from './controller-error.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import type { Expectations } from './expectations.ts';
import { formatKey, keyOf, parseKey } from './object-key.ts';
import type { WatchSource } from './watch-source.ts';

/** Brings the object of the key to its desired state, based on the caches. The object may be gone. */
export type ReconcileKey = (key: ObjectKey, signal: AbortSignal) => Promise<Result>;

/** Queues the key of an object, for a controller whose keys others wake too. */
export type WakeObject = (key: ObjectKey, options?: AddOptions) => void;

export interface ObjectControllerOptions
  extends Omit<ControllerOptions, 'feeds' | 'keys' | 'observer' | 'ready' | 'reconcile'> {
  readonly sources: readonly WatchSource[];
  /** All reconciled objects, for a resync. */
  readonly keys: () => Iterable<KubeObject>;
  readonly reconcile: ReconcileKey;
  readonly expectations?: Expectations;
  /** Time limit of the first lists; 2 minutes by default, none with `Infinity`. */
  readonly syncWithinMs?: number;
  readonly metrics?: ControllerMetrics;
}

/** Reconciles each key that its sources name, or that is woken, after all caches have their first list. */
export class ObjectController implements Runnable {
  readonly name: string;
  readonly #options: ObjectControllerOptions;
  readonly #controller: Controller;

  constructor(options: ObjectControllerOptions) {
    const { sources, keys, reconcile: _, expectations: __, syncWithinMs: ___, metrics, log, ...rest } = options;
    this.name = options.name;
    this.#options = options;
    this.#controller = new Controller({
      ...rest,
      reconcile: (key, signal) => this.#reconcile(parseKey(key), signal),
      keys: () => Iterator.from(keys()).map((object) => formatKey(keyOf(object))),
      ready: (signal) => this.#synced(signal),
      feeds: sources.map((source) => (wake) => source.feed(wake)),
      ...(metrics && { observer: metrics.controller(options.name) }),
      ...(log && { log: log.child({ component: options.name }) }),
    });
  }

  readonly wake: WakeObject = (key, options) => this.#controller.wake(formatKey(key), options);

  run(signal: AbortSignal): Promise<void> {
    return this.#controller.run(signal);
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
    const synced = Promise.all(sources.map((source) => source.synced(signal)));
    if (syncWithinMs === Number.POSITIVE_INFINITY) return void (await synced);
    const over = new AbortController();
    const late = sleep(syncWithinMs, AbortSignal.any([signal, over.signal])).then(() => {
      throw new ControllerError('CACHE_NOT_SYNCED', `start ${this.name}: caches not synced after ${syncWithinMs} ms`);
    });
    try {
      await Promise.race([synced, late]);
    } finally {
      over.abort();
      // It lost the race; the result does not matter.
      await late.catch(() => undefined);
    }
  }
}
