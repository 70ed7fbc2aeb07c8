export interface HandshakeQueueOptions<T> {
  readonly begin: (caller: T) => void;
  readonly atOnce?: number;
  /** After so long one does not count any more, whatever becomes of it: whoever stays silent must not hold up the others. */
  readonly patienceMs?: number;
}

/**
 * DECISION: few handshakes are under way at once, not as many as there are callers. A thousand that were cut off come back
 * at the same moment; were all begun at once they would all have their next word ready at once, too, and what else this
 * process does would wait for seconds until all of it is done. One after the other they are through as soon.
 */
export class HandshakeQueue<T> {
  readonly #options: Required<HandshakeQueueOptions<T>>;
  #waiting: T[] = [];
  /** When those that are under way were begun; any of them may be the next that is over. */
  #begun: number[] = [];
  #willLook = false;
  /** One that is over at once comes back to here. */
  #isBeginning = false;

  constructor(options: HandshakeQueueOptions<T>) {
    this.#options = { atOnce: 16, patienceMs: 500, ...options };
  }

  add(caller: T): void {
    this.#waiting.push(caller);
    this.#beginSome();
  }

  /** One is through, or has come to nothing. */
  readonly over = (): void => {
    this.#begun.shift();
    if (!this.#isBeginning) this.#beginSome();
  };

  #beginSome(): void {
    const { atOnce, patienceMs, begin } = this.#options;
    const now = performance.now();
    while ((this.#begun[0] ?? now) + patienceMs < now) this.#begun.shift();
    while (this.#begun.length < atOnce && this.#waiting.length > 0) {
      const caller = this.#waiting.shift();
      this.#begun.push(now);
      this.#isBeginning = true;
      if (caller !== undefined) begin(caller);
      this.#isBeginning = false;
    }
    if (this.#waiting.length > 0) this.#lookAgain(patienceMs);
  }

  #lookAgain(inMs: number): void {
    if (this.#willLook) return;
    this.#willLook = true;
    setTimeout(() => {
      this.#willLook = false;
      this.#beginSome();
    }, inMs).unref();
  }
}
