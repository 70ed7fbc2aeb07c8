import { LinkedList } from './linked-list.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Admits up to `permits` callers at a time, in order of arrival. A caller that aborts while it waits loses no permit. */
export class Semaphore {
  readonly #permits: number;
  readonly #waiting = new LinkedList<() => void>();
  #free: number;

  constructor(permits: number) {
    if (!Number.isInteger(permits) || permits < 1) {
      throw new RangeError(`a semaphore has at least one permit, not ${permits}`);
    }
    this.#permits = permits;
    this.#free = permits;
  }

  /** Whether no caller holds a permit, and none waits. */
  get isIdle(): boolean {
    return this.#free === this.#permits;
  }

  /** Runs `body` with a permit: at once if one is free. Rejects with the signal's reason if it aborts before that. */
  async run<T>(body: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (!this.#takes(signal)) await this.#wait(signal);
    try {
      return await body();
    } finally {
      this.#leave();
    }
  }

  /** Resolves with the function that gives the permit back; calling it again does nothing. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    if (!this.#takes(signal)) await this.#wait(signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave();
      isHeld = false;
    };
  }

  #takes(signal: AbortSignal): boolean {
    signal.throwIfAborted();
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isAdmitted = false;
    const node = this.#waiting.append(() => {
      isAdmitted = true;
      resolve();
    });
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      // The permit may have been passed on just before the abort.
      if (isAdmitted) this.#leave();
      else this.#waiting.remove(node);
      throw error;
    }
  }

  #leave(): void {
    const admit = this.#waiting.removeFirst();
    if (admit === undefined) this.#free += 1;
    else admit();
  }
}

/** Runs one body at a time, in order of arrival. */
export class Mutex extends Semaphore {
  constructor() {
    super(1);
  }
}
