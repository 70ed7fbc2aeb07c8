/** What a lossy channel has lost, and how much of that the other end has yet to be told. */
export class Losses {
  #all = 0;
  #untold = 0;

  get all(): number {
    return this.#all;
  }

  /** With it goes what it would have told. */
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
