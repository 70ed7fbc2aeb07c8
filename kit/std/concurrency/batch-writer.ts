import { sleep as realSleep, type Sleep } from '../sleep.ts';
import { handOver } from './hand-over.ts';
import { Notifier } from './notifier.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface BatchWriterOptions<T> {
  /** Writes all items or none, in this order. May be called again with the same items. */
  readonly write: (items: readonly T[], signal: AbortSignal) => Promise<void>;
  /** Called before a batch is tried again. */
  readonly onRetry: (error: unknown) => void;
  /** Items that may wait for another one with their key, which usually makes their own write unnecessary. */
  readonly patience?: Patience<T>;
  readonly sleep?: Sleep;
  /** The monotonic clock of the process. */
  readonly now?: () => number;
}

export interface Patience<T> {
  readonly ms: number;
  readonly isPatient: (item: T) => boolean;
  readonly keyOf: (item: T) => string | undefined;
}

/** Called once, unless the writer ends before. Must not throw. */
export interface Settled {
  readonly stored: () => void;
  /** The item can never be written. It delayed no other. */
  readonly refused: (error: unknown) => void;
}

interface Waiting<T> extends Settled {
  readonly item: T;
  /** By the monotonic clock of the process. */
  readonly since: number;
}

/** Most items that are written together. */
const TOGETHER = 1_000;
/** Most items of callers that may wait. Beyond this, callers that bring more have to wait. */
const WAITING = 20_000;
/**
 * How long the first item waits for others. The answers of a hundred agents arrive within a moment of each other; without
 * this delay the first would be written alone, while all others wait.
 */
const GATHER_MS = 2;
/** With this many items there is no need to wait for more. */
const GATHERED = 50;
const WRITE_MS = 30_000;
const AGAIN_MS = 1_000;
const IDLE_MS = 60_000;
const NO_PATIENCE = { ms: 0, isPatient: () => false, keyOf: () => undefined };

/**
 * One write at a time; items that arrive meanwhile go into the next one. Under load more items share a write, and none
 * waits for more than the write under way and its own. A batch that cannot be written is halved until the item that cannot
 * is alone. While the receiver is unavailable, all wait.
 */
export class BatchWriter<T> {
  readonly #options: BatchWriterOptions<T>;
  readonly #patience: Patience<T>;
  readonly #sleep: Sleep;
  readonly #now: () => number;
  readonly #arrived: Notifier;
  /** In order of arrival: items of callers, those that others bound, and those that may wait. */
  #called: Waiting<T>[] = [];
  #put: Waiting<T>[] = [];
  #patient: Waiting<T>[] = [];
  #room = Promise.withResolvers<void>();
  /** Ends the waits of callers when the writer ends. */
  readonly #callers = new Set<(reason: unknown) => void>();
  #ended: { readonly reason: unknown } | undefined;

  constructor(options: BatchWriterOptions<T>) {
    const { patience = NO_PATIENCE, sleep = realSleep, now = () => performance.now() } = options;
    this.#options = options;
    this.#patience = patience;
    this.#sleep = sleep;
    this.#now = now;
    this.#arrived = new Notifier(sleep);
  }

  /**
   * Resolves once all are written, and rejects when one of them never can be. An abort ends the wait alone: the items are
   * written all the same, and the batch that they share is not affected.
   */
  async add(items: readonly T[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (this.#called.length + this.#patient.length >= WAITING) await this.#wait(this.#room.promise, signal);
    const written = items.map(
      (item) =>
        new Promise<void>((stored, refused) => {
          const waiting = { item, since: this.#now(), stored, refused };
          (this.#patience.isPatient(item) ? this.#patient : this.#called).push(waiting);
        }),
    );
    this.#arrived.notify();
    await this.#wait(Promise.all(written), signal);
  }

  /** For items whose number the caller bounds: they are taken at once. */
  put(item: T, settled: Settled): void {
    this.#put.push({ item, since: this.#now(), ...settled });
    this.#arrived.notify();
  }

  /** Writes until the signal aborts. What is not written by then is neither stored nor refused; callers are rejected. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        await this.#gather(signal).catch(() => {});
        if (!signal.aborted) await this.#write(this.#take(), signal);
        this.#room.resolve();
        this.#room = Promise.withResolvers();
      }
    } finally {
      this.#ended = { reason: signal.reason };
      for (const reject of this.#callers) reject(signal.reason);
    }
  }

  async #wait(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    this.#callers.add(reject);
    if (this.#ended !== undefined) reject(this.#ended.reason);
    try {
      await unlessAborted(Promise.race([promise, ended]), signal);
    } finally {
      this.#callers.delete(reject);
    }
  }

  /** Waits until there is something to write: an item that does not wait, or one that has waited long enough. */
  async #gather(signal: AbortSignal): Promise<void> {
    while (this.#called.length + this.#put.length === 0) {
      const [first] = this.#patient;
      const ms = first === undefined ? IDLE_MS : first.since + this.#patience.ms - this.#now();
      if (ms <= 0) return;
      await this.#arrived.wait(ms, signal);
    }
    if (this.#called.length + this.#put.length < GATHERED) await this.#sleep(GATHER_MS, signal);
  }

  /** Neither kind of items crowds out the other. */
  #take(): readonly Waiting<T>[] {
    const called = this.#called.splice(0, Math.max(TOGETHER / 2, TOGETHER - this.#put.length));
    const urgent = [...called, ...this.#put.splice(0, TOGETHER - called.length)];
    return this.#patient.length === 0 ? urgent : [...this.#takePatient(urgent), ...urgent];
  }

  /** Those that another item with their key follows, and those that have waited long enough. */
  #takePatient(urgent: readonly Waiting<T>[]): readonly Waiting<T>[] {
    const { ms, keyOf } = this.#patience;
    const late = this.#now() - ms;
    const keys = new Set(urgent.map(({ item }) => keyOf(item)));
    const isDue = ({ item, since }: Waiting<T>): boolean => since <= late || keys.has(keyOf(item));
    const { due = [], rest = [] } = Object.groupBy(this.#patient, (each) => (isDue(each) ? 'due' : 'rest'));
    this.#patient = rest;
    return due;
  }

  async #write(batch: readonly Waiting<T>[], signal: AbortSignal): Promise<void> {
    const { write, onRetry } = this.#options;
    await handOver(
      batch,
      {
        hand: async (some) => {
          const items = some.map(({ item }) => item);
          await write(items, AbortSignal.any([signal, AbortSignal.timeout(WRITE_MS)]));
          for (const { stored } of some) stored();
        },
        setAside: ({ refused }, error) => refused(error),
        pause: async (error) => {
          onRetry(error);
          await this.#sleep(AGAIN_MS, signal).catch(() => {});
        },
      },
      signal,
    );
  }
}
