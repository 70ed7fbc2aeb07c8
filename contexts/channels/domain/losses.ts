/** Counts the messages that a lossy channel has lost, and how many of these have not been reported to the other end. */
export class Losses {
  #all = 0;
  #untold = 0;

  get all(): number {
    return this.#all;
  }

  /** Counts a lost message, and again the losses that it was meant to report. */
  count(told = 0): void {
    this.#all += 1;
    this.#untold += 1 + told;
  }

  tell(): number {
    const untold = this.#untold;
    this.#untold = 0;
    return untold;
  }
}
