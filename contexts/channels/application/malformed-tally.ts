import type { Clock } from '#kit/std';

const ALLOWED = 2;
const WITHIN_MS = 60_000;

/** Tolerates single malformed frames; the third within a minute is too many. */
export class MalformedTally {
  readonly #clock: Clock;
  readonly #times: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more malformed frame; true when there are too many. */
  add(): boolean {
    const now = this.#clock.now();
    this.#times.push(now);
    while (this.#times.length > ALLOWED + 1 || (this.#times[0] ?? now) < now - WITHIN_MS) this.#times.shift();
    return this.#times.length > ALLOWED;
  }
}
