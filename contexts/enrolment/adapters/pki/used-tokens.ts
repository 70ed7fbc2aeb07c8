import type { Clock } from '#kit/std';

/** Beyond this the oldest are forgotten early: they are valid for minutes only. */
const MAX = 100_000;

/**
 * The ids of accepted tokens, for as long as they stay valid.
 *
 * DECISION: per process. An intercepted token could be presented to another replica until it expires, after at most six
 * minutes. It travels in TLS, and all it yields is the session of a fleetlet, which the fleetlet takes back by
 * reconnecting.
 */
export class UsedTokens {
  readonly #until = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `false` when it was used before. */
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
