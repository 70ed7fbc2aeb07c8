export interface HandshakeQueueOptions<T> {
  readonly begin: (caller: T) => void;
  /** At once, however busy this process is. */
  readonly fewest?: number;
  /** After so long one does not count any more, whatever becomes of it: whoever stays silent must not hold up the others. */
  readonly patienceMs?: number;
}

/** How often it is looked whether this process keeps up. */
const LOOK_EVERY_MS = 25;
const IN_TIME_MS = 3;
const TOO_LATE_MS = 10;
const MOST = 16;

/**
 * DECISION: few handshakes are under way at once, not as many as there are callers. A thousand that were cut off come back
 * at the same moment; were all begun at once they would all have their next word ready at once, too, and what else this
 * process does would wait for seconds until all of it is done. One after the other they are through as soon.
 *
 * How many that is shows in how late a timer is: callers from afar leave this process idle until they answer, and more are
 * begun meanwhile; callers from nearby keep it busy, and everybody else's requests wait for as long as the timer does.
 */
export class HandshakeQueue<T> {
  readonly #options: Required<HandshakeQueueOptions<T>>;
  #waiting: T[] = [];
  /** When those that are under way were begun; any of them may be the next that is over. */
  #begun: number[] = [];
  #room: number;
  #looksAt: number | undefined;
  /** One that is over at once comes back to here. */
  #isBeginning = false;

  constructor(options: HandshakeQueueOptions<T>) {
    this.#options = { fewest: 4, patienceMs: 500, ...options };
    this.#room = this.#options.fewest;
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
    const { patienceMs, begin } = this.#options;
    const now = performance.now();
    while ((this.#begun[0] ?? now) + patienceMs < now) this.#begun.shift();
    while (this.#begun.length < this.#room && this.#waiting.length > 0) {
      const caller = this.#waiting.shift();
      this.#begun.push(now);
      this.#isBeginning = true;
      if (caller !== undefined) begin(caller);
      this.#isBeginning = false;
    }
    if (this.#waiting.length > 0) this.#lookAgain(now);
  }

  #lookAgain(now: number): void {
    if (this.#looksAt !== undefined) return;
    this.#looksAt = now + LOOK_EVERY_MS;
    setTimeout(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #look(): void {
    const lateMs = performance.now() - (this.#looksAt ?? 0);
    this.#looksAt = undefined;
    this.#room = roomAfter(this.#room, lateMs, this.#options.fewest);
    this.#beginSome();
  }
}

/** How many may be under way from now on. It is given up faster than it is won. */
export function roomAfter(room: number, lateMs: number, fewest: number): number {
  if (lateMs > TOO_LATE_MS) return Math.max(fewest, Math.floor(room / 2));
  return lateMs < IN_TIME_MS ? Math.min(MOST, room + 1) : room;
}
