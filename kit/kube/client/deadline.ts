/**
 * A signal that follows another and also ends by itself. Lighter than `AbortSignal.any` with a timeout, of which each
 * request would leave a pair for the garbage collector, and the deadline can be lifted once the answer has begun.
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

  /** Time was up before the parent aborted. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Begins anew with so much time, or with all of it. */
  extend(ms?: number): void {
    clearTimeout(this.#timer);
    if (ms !== undefined) this.#timer = this.#start(ms);
  }

  /** It follows nothing any more. */
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
