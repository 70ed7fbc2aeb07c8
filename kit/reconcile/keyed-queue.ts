import { type Clock, type Random, sleep as realSleep, type Sleep } from '#kit/std';
import { type Due, DueHeap } from './due-heap.ts';
import { monotonicClock } from './monotonic-clock.ts';
import { PRIORITIES, type Priority, ReadyLanes } from './ready-lanes.ts';
import { RetryPace, type RetryPolicy } from './retry-pace.ts';

/** Queue metrics. Keys are never reported: their number is unbounded. */
export interface QueueObserver {
  /** The number of keys that are ready, by priority. */
  depth(priority: Priority, depth: number): void;
  added(): void;
  retried(): void;
  /** How long a key was ready before it was taken. */
  waited(ms: number): void;
  worked(ms: number): void;
}

export interface KeyedQueueOptions {
  /** A monotonic clock: only differences are used. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly random?: Random;
  readonly retries?: RetryPolicy;
  readonly observer?: QueueObserver;
}

export interface AddOptions {
  readonly priority?: Priority;
  readonly afterMs?: number;
}

interface Waiting extends Due {
  readonly key: string;
  readonly priority: Priority;
  readonly place: 'delayed' | 'held' | 'ready';
}

/** `setTimeout` is limited to 24 days; a timer that ends before the key is due is set again. */
const LONGEST_ALARM_MS = 3_600_000;

/**
 * A work queue of keys. A key is queued once, however often it is added. A key that was taken is not handed out again
 * until `done`; adds in the meantime wait for that. No add is lost: each is followed by a take.
 *
 * DECISION: the queue has no size limit. It holds keys and not events, so the number of objects bounds it, and refusing
 * a key would mean forgetting its object.
 */
export class KeyedQueue {
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #observer: QueueObserver | undefined;
  readonly #pace: RetryPace;
  readonly #waiting = new Map<string, Waiting>();
  readonly #delayed = new DueHeap<Waiting>();
  readonly #ready = new ReadyLanes<Waiting>();
  /** Keys in progress, with their start times. */
  readonly #taken = new Map<string, number>();
  readonly #takers = new Set<(key: string | undefined) => void>();
  #alarm: { readonly due: number; readonly stop: AbortController } | undefined;
  #closed = false;

  constructor(options: KeyedQueueOptions = {}) {
    const { clock = monotonicClock, sleep = realSleep, random = Math.random, retries, observer } = options;
    this.#clock = clock;
    this.#sleep = sleep;
    this.#observer = observer;
    this.#pace = new RetryPace({ clock, random, ...(retries && { policy: retries }) });
  }

  /** Waiting keys: ready, delayed, or held until the worker that has them is done. */
  get size(): number {
    return this.#waiting.size;
  }

  /** How long each key in progress has been worked on. */
  inProgress(): readonly number[] {
    const now = this.#clock.now();
    return [...this.#taken.values()].map((since) => now - since);
  }

  /** If the key is already waiting, the earlier time and the higher priority win. Does nothing after `close`. */
  add(key: string, { priority = 'normal', afterMs = 0 }: AddOptions = {}): void {
    if (this.#closed) return;
    const due = this.#clock.now() + Math.max(0, afterMs);
    const known = this.#waiting.get(key);
    if (!known) return this.#place({ key, priority, due, slot: -1 });
    const sooner = due < known.due;
    const higher = PRIORITIES.indexOf(priority) < PRIORITIES.indexOf(known.priority);
    // A ready key keeps its place, unless it moves to a higher priority.
    if (!higher && (!sooner || known.place !== 'delayed')) return;
    this.#leavePlace(known);
    this.#place({ key, priority: higher ? priority : known.priority, due: Math.min(due, known.due), slot: -1 });
  }

  /** Adds the key after a delay that grows with each failure of the key; returns the delay. */
  retry(key: string, { priority = 'normal' }: Pick<AddOptions, 'priority'> = {}): number {
    const afterMs = this.#pace.next(key);
    this.#observer?.retried();
    this.add(key, { priority, afterMs });
    return afterMs;
  }

  /** Resets the failure count of the key. */
  forget(key: string): void {
    this.#pace.forget(key);
  }

  failures(key: string): number {
    return this.#pace.failures(key);
  }

  /**
   * Resolves with the next key when there is one; the caller must call `done` for it. `undefined` once the queue is
   * closed.
   */
  async take(signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    if (this.#closed) return undefined;
    return this.#next() ?? this.#wait(signal);
  }

  done(key: string): void {
    const since = this.#taken.get(key);
    if (since === undefined) throw new RangeError(`done without take: ${key}`);
    this.#taken.delete(key);
    this.#observer?.worked(this.#clock.now() - since);
    const held = this.#waiting.get(key);
    if (held?.place === 'held') this.#place(held);
  }

  /** Ends all waiting takes with `undefined` and drops the waiting keys: the next start looks at every key anyway. */
  close(): void {
    this.#closed = true;
    this.#alarm?.stop.abort();
    for (const waiting of this.#waiting.values()) this.#leavePlace(waiting);
    this.#waiting.clear();
    for (const give of this.#takers) give(undefined);
    this.#takers.clear();
  }

  #wait(signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const give = (key: string | undefined): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(key);
      };
      const onAbort = (): void => {
        this.#takers.delete(give);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#takers.add(give);
    });
  }

  #place(entry: Omit<Waiting, 'place'>): void {
    const waiting: Waiting = { ...entry, place: this.#placeFor(entry) };
    const known = this.#waiting.get(entry.key);
    this.#waiting.set(entry.key, waiting);
    if (waiting.place === 'delayed') {
      this.#delayed.add(waiting);
      return this.#setAlarm();
    }
    if (!known || known.place === 'delayed') this.#observer?.added();
    if (waiting.place === 'held') return;
    this.#ready.add(waiting, waiting.priority);
    this.#tellDepth(waiting.priority);
    this.#serve();
  }

  #placeFor({ key, due }: Omit<Waiting, 'place'>): Waiting['place'] {
    if (due > this.#clock.now()) return 'delayed';
    return this.#taken.has(key) ? 'held' : 'ready';
  }

  #leavePlace(waiting: Waiting): void {
    if (waiting.place === 'delayed') this.#delayed.remove(waiting);
    if (waiting.place !== 'ready') return;
    this.#ready.remove(waiting, waiting.priority);
    this.#tellDepth(waiting.priority);
  }

  #serve(): void {
    for (const give of this.#takers) {
      const key = this.#next();
      if (key === undefined) return;
      this.#takers.delete(give);
      give(key);
    }
  }

  #next(): string | undefined {
    const waiting = this.#ready.take();
    if (!waiting) return undefined;
    const { key, due, priority } = waiting;
    const now = this.#clock.now();
    this.#waiting.delete(key);
    this.#taken.set(key, now);
    this.#tellDepth(priority);
    this.#observer?.waited(now - due);
    return key;
  }

  #tellDepth(priority: Priority): void {
    this.#observer?.depth(priority, this.#ready.size(priority));
  }

  /** Sets one timer, for the earliest delayed key. */
  #setAlarm(): void {
    const due = this.#delayed.earliest?.due;
    if (due === undefined || (this.#alarm && this.#alarm.due <= due)) return;
    this.#alarm?.stop.abort();
    const stop = new AbortController();
    this.#alarm = { due, stop };
    const ms = Math.min(LONGEST_ALARM_MS, Math.max(0, Math.ceil(due - this.#clock.now())));
    this.#sleep(ms, stop.signal).then(
      () => this.#ring(),
      // Aborted, because another timer is set or none is needed.
      () => undefined,
    );
  }

  #ring(): void {
    this.#alarm = undefined;
    const now = this.#clock.now();
    for (let next = this.#delayed.earliest; next && next.due <= now; next = this.#delayed.earliest) {
      this.#leavePlace(next);
      this.#place(next);
    }
    this.#setAlarm();
  }
}
