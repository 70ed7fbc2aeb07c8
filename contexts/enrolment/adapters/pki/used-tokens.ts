import type { Clock } from '#kit/std';

/** More are forgotten early, the oldest first: they are good for minutes anyway. */
const MAX = 100_000;

/**
 * The ids of tokens that were taken, for as long as they would be taken again.
 *
 * DECISION: of this process alone. A token that somebody overheard could be shown to another replica for as long as it
 * lives, six minutes at most; it travels in TLS, and what could be had with it is the session of a fleetlet that takes
 * it back by connecting again.
 */
export class UsedTokens {
  readonly #until = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `false` when it was taken before. */
  take(id: string, until: number): boolean {
    const now = this.#clock.now();
    const known = this.#until.get(id);
    if (known !== undefined && now < known) return false;
    this.#until.delete(id);
    this.#until.set(id, until);
    for (const [old, end] of this.#until) {
      if (now < end && this.#until.size <= MAX) break;
      this.#until.delete(old);
    }
    return true;
  }
}
