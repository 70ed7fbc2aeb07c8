/**
 * A signal that follows another and also has a timeout. Cheaper than `AbortSignal.any` with a timeout, which would
 * leave a pair of signals per request to the garbage collector, and the timeout can be lifted when the response has
 * begun.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#controller.abort(this.#parent.reason);
  #expired = false;
  #ms: number;

  constructor(ms: number, parent: AbortSignal) {
    this.#parent = parent;
    this.#ms = ms;
    this.#timer = this.#start(ms);
    parent.addEventListener('abort', this.#onAbort, { once: true });
    if (parent.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ms(): number {
    return this.#ms;
  }

  /** The timeout came before the parent aborted. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Restarts the timeout, or removes it. */
  extend(ms?: number): void {
    clearTimeout(this.#timer);
    if (ms !== undefined) this.#timer = this.#start(ms);
  }

  /** Stops following the parent. */
  end(): void {
    this.extend();
    this.#parent.removeEventListener('abort', this.#onAbort);
  }

  #start(ms: number): NodeJS.Timeout {
    this.#ms = ms;
    return setTimeout(() => {
      this.#expired = true;
      this.#controller.abort();
    }, ms);
  }
}
