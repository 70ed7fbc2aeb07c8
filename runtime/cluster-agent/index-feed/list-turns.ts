import { unlessAborted } from '#kit/std';

/**
 * Semaphore that admits a few lists at a time, in order of arrival: lists are large, and those of Pods and nodes come
 * first.
 */
export class ListTurns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves when it is the caller's turn, with a function that ends it. */
  async begin(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#next();
    };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      const index = this.#waiting.indexOf(resolve);
      // The slot may have been granted just before; then it goes to the next waiter.
      if (index === -1) this.#next();
      else this.#waiting.splice(index, 1);
      throw error;
    }
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
