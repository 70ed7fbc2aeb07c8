/** How much later than requested the deadline may fire, as a share of the duration. */
const SLACK = 0.1;

/**
 * A signal that aborts with the given one, or after a timeout. Calls made at about the same time share one signal: for a
 * whole fleet, a signal per call would cost more than everything else a call does in this process.
 */
export class SharedDeadline {
  readonly #signal: AbortSignal;
  readonly #ms: number;
  #shared: AbortSignal;
  #until = 0;

  constructor(ms: number, signal: AbortSignal) {
    this.#ms = ms;
    this.#signal = signal;
    this.#shared = signal;
  }

  /** The deadline starts now. */
  get signal(): AbortSignal {
    const now = performance.now();
    if (now < this.#until) return this.#shared;
    const slack = Math.ceil(this.#ms * SLACK);
    this.#until = now + slack;
    this.#shared = AbortSignal.any([this.#signal, AbortSignal.timeout(this.#ms + slack)]);
    return this.#shared;
  }
}
