import { type BackoffPolicy, backoffDelay, type Clock, type Random } from '#kit/std';

export interface RetryPolicy {
  /** Per key: the delay grows with each consecutive failure. */
  readonly backoff: BackoffPolicy;
  /** Over all keys: retries per second, after the first `burst` retries. */
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * DECISION: the limit over all keys is the one of client-go. It matters when everything fails at once: ten thousand
 * keys that back off for five minutes each still send dozens of requests per second to a server that is down.
 */
const DEFAULT_RETRY_POLICY: RetryPolicy = {
  backoff: { baseMs: 20, capMs: 300_000 },
  perSecond: 10,
  burst: 100,
};

export interface RetryPaceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly policy?: RetryPolicy;
}

/** Computes when to retry a failed key. Remembers only keys that failed and were not forgotten since. */
export class RetryPace {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #policy: RetryPolicy;
  readonly #failures = new Map<string, number>();
  /** The time at which the whole burst is available again. Each retry moves it by its share of a second. */
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor({ clock, random, policy = DEFAULT_RETRY_POLICY }: RetryPaceOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#policy = policy;
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Counts a failure of the key; returns the delay before the next attempt. */
  next(key: string): number {
    const { backoff } = this.#policy;
    const failures = this.failures(key) + 1;
    this.#failures.set(key, failures);
    return Math.max(backoffDelay(backoff, failures, this.#random), this.#reserve());
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  #reserve(): number {
    const { perSecond, burst } = this.#policy;
    const now = this.#clock.now();
    const share = 1_000 / perSecond;
    this.#freeAt = Math.max(this.#freeAt, now) + share;
    return Math.max(0, this.#freeAt - now - burst * share);
  }
}
