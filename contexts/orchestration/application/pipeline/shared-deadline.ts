/** How much later than asked for it may be, of the time itself. */
const SLACK = 0.1;

/**
 * A signal that aborts with the other, or after so long. Whoever asks within the same moment gets the same one: at the
 * width of a fleet, one for each call costs more than all else that a call does in this process.
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

  /** From now on. */
  get signal(): AbortSignal {
    const now = performance.now();
    if (now < this.#until) return this.#shared;
    const slack = Math.ceil(this.#ms * SLACK);
    this.#until = now + slack;
    this.#shared = AbortSignal.any([this.#signal, AbortSignal.timeout(this.#ms + slack)]);
    return this.#shared;
  }
}
