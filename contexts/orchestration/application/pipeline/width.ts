/** So many at once, and the others in the order in which they came. */
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
      // Whoever waited is woken in any case, one after another, so that nobody is left behind.
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
