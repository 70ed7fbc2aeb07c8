import { isKubeError } from '#kit/kube';
import { type ControllerMetrics, formatKey, parseKey } from '#kit/kube/controller';
import {
  type AddOptions,
  BACK_OFF,
  createResync,
  createWorkers,
  KeyedQueue,
  DONE as QUEUE_DONE,
  type Result,
  type Runnable,
  requeueAfter,
  runGroups,
} from '#kit/reconcile';
import { assertNever, type Random, sleep as realSleep, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { Next } from '../application/ports.ts';
import { isCrsError } from '../domain/crs-error.ts';
import type { NamespacedName } from '../domain/resource-set.ts';

export interface KeyedControllerOptions {
  readonly name: string;
  readonly reconcile: (key: NamespacedName, signal: AbortSignal) => Promise<Next>;
  /** All keys, for a resync. */
  readonly keys: () => Iterable<NamespacedName>;
  /** Resolves once the caches have synced. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /** Starts to queue keys; returns a function that stops it. */
  readonly feed: () => () => void;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly resyncMs?: number | undefined;
  readonly metrics?: ControllerMetrics | undefined;
  readonly cut?: AbortSignal | undefined;
  readonly sleep?: Sleep | undefined;
  readonly random?: Random | undefined;
  readonly log?: Logger | undefined;
}

const PROGRESS_EVERY_MS = 500;
const STOP_WITHIN_MS = 15_000;

/**
 * A controller whose keys can also be queued by another controller, with a delay. The kit's `ControllerBuilder` only
 * supports object changes. The metrics are the same.
 */
export class KeyedController implements Runnable {
  readonly name: string;
  readonly #options: KeyedControllerOptions;
  readonly #queue: KeyedQueue;
  readonly #observer: ReturnType<ControllerMetrics['controller']> | undefined;

  constructor(options: KeyedControllerOptions) {
    const { name, metrics, sleep, random } = options;
    this.name = name;
    this.#options = options;
    this.#observer = metrics?.controller(name);
    this.#queue = new KeyedQueue({
      ...(sleep && { sleep }),
      ...(random && { random }),
      ...(this.#observer && { observer: this.#observer.queue }),
    });
  }

  wake(key: NamespacedName, options: AddOptions = {}): void {
    this.#queue.add(formatKey(key), options);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { ready, feed, concurrency, sleep = realSleep, log } = this.#options;
    this.#observer?.started({ concurrency });
    await ready(signal);
    const end = feed();
    log?.info({ name: this.name, count: concurrency }, 'caches are in sync; reconciling');
    try {
      await runGroups([{ name: this.name, runnables: this.#runnables(), stopWithinMs: STOP_WITHIN_MS }], signal, {
        sleep,
      });
    } finally {
      end();
      this.#queue.close();
    }
  }

  #runnables(): readonly Runnable[] {
    const { timeoutMs, concurrency, resyncMs, keys, cut, log, sleep, random } = this.#options;
    const queue = this.#queue;
    const workers = createWorkers({
      name: this.name,
      queue,
      concurrency,
      timeoutMs,
      reconcile: (key, signal) => this.#reconcile(key, signal),
      ...(cut && { cut }),
      ...(sleep && { sleep }),
      ...(this.#observer && { observer: this.#observer.workers }),
      ...(log && { log: log.child({ component: this.name }) }),
    });
    const progress = { name: `${this.name} progress`, run: (signal: AbortSignal) => this.#progress(signal) };
    if (resyncMs === undefined) return [workers, progress];
    const resync = createResync({
      name: `${this.name} resync`,
      queue,
      everyMs: resyncMs,
      keys: () => Iterator.from(keys()).map(formatKey),
      ...(sleep && { sleep }),
      ...(random && { random }),
    });
    return [workers, progress, resync];
  }

  async #reconcile(text: string, signal: AbortSignal): Promise<Result> {
    const { namespace = '', name } = parseKey(text);
    try {
      return resultOf(await this.#options.reconcile({ namespace, name }, signal));
    } catch (error) {
      // Another writer was faster, and its change is about to arrive by watch. This is expected.
      if (isCrsError(error, 'CONFLICT') || isKubeError(error, 'CONFLICT')) return BACK_OFF;
      throw error;
    }
  }

  async #progress(signal: AbortSignal): Promise<void> {
    const { sleep = realSleep } = this.#options;
    for (;;) {
      this.#observer?.inProgress(this.#queue.inProgress());
      await sleep(PROGRESS_EVERY_MS, signal);
    }
  }
}

function resultOf(next: Next): Result {
  switch (next.kind) {
    case 'done':
      return QUEUE_DONE;
    case 'again':
      return requeueAfter(next.afterMs);
    case 'retry':
      return BACK_OFF;
    default:
      return assertNever(next, 'what comes next');
  }
}
