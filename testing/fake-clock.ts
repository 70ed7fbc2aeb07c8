import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, Sleep } from '#kit/std';

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

interface Watcher {
  readonly count: number;
  readonly tell: () => void;
}

/**
 * Time that passes only when the test says so. Code under test takes the clock as its `Clock` and `clock.sleep` as its
 * `Sleep`. A test waits with `untilSleeping()` until the code sleeps, and then advances the clock.
 */
export class FakeClock implements Clock {
  #now: number;
  readonly #sleepers = new Set<Sleeper>();
  readonly #watchers = new Set<Watcher>();

  constructor(now: number = Date.UTC(2030, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** The number of pending sleeps. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** When the next sleep ends, if there is one. */
  get nextDue(): number | undefined {
    return this.#earliest(Number.POSITIVE_INFINITY)?.due;
  }

  /** Like `sleep` of kit/std; a property, so that it can be passed on alone. */
  readonly sleep: Sleep = (ms, signal) =>
    new Promise<void>((resolve, reject) => {
      signal.throwIfAborted();
      const sleeper: Sleeper = {
        due: this.#now + ms,
        wake: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.add(sleeper);
      this.#tellWatchers();
    });

  /** Resolves once at least this many sleeps are pending. */
  untilSleeping(count = 1): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.add({ count, tell: resolve });
      this.#tellWatchers();
    });
  }

  /** Sets the time, forwards or backwards, without waking sleepers, as when a clock is corrected. */
  set(now: number): void {
    this.#now = now;
  }

  /**
   * Advances the time and wakes each sleeper when due, earliest first. After each wake the event loop runs once, so that
   * a sleep started then is also woken if it falls due within the same call.
   */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (let next = this.#earliest(until); next; next = this.#earliest(until)) {
      this.#now = Math.max(this.#now, next.due);
      this.#sleepers.delete(next);
      next.wake();
      await turn();
    }
    this.#now = until;
    await turn();
  }

  #earliest(until: number): Sleeper | undefined {
    let earliest: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.due <= until && (!earliest || sleeper.due < earliest.due)) earliest = sleeper;
    }
    return earliest;
  }

  #tellWatchers(): void {
    for (const watcher of this.#watchers) {
      if (this.#sleepers.size < watcher.count) continue;
      this.#watchers.delete(watcher);
      watcher.tell();
    }
  }
}
