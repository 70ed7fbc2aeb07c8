/** A semaphore: limits concurrency, first come first served. */
export class Width {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #next = 0;

  constructor(width: number) {
    this.#free = width;
  }

  async within<T>(body: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      // After an abort the waiting callers are still woken one after another, so that none waits forever.
      signal.throwIfAborted();
      return await body();
    } finally {
      this.#release();
    }
  }

  #release(): void {
    const next = this.#waiting[this.#next];
    if (next === undefined) {
      this.#free += 1;
      this.#waiting.length = 0;
      this.#next = 0;
      return;
    }
    this.#next += 1;
    next();
  }
}
