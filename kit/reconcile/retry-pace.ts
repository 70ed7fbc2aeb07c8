import { type BackoffPolicy, backoffDelay, type Clock, type Random } from '#kit/std';

export interface RetryPolicy {
  /** For one key: longer with each failure in a row. */
  readonly backoff: BackoffPolicy;
  /** For all keys together: so many retries a second, once `burst` of them are used up. */
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * DECISION: the limit over all keys is client-go's. It matters when everything fails at once: ten thousand keys that
 * back off for five minutes each are still dozens of requests a second at a server that is down.
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

/** When to try again what failed. Remembers only keys that failed and were not forgotten since. */
export class RetryPace {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #policy: RetryPolicy;
  readonly #failures = new Map<string, number>();
  /** When the whole burst is free again. Each retry moves it by its share of a second. */
  #freeAt = Number.NEGATIVE_INFINITY;

  constructor({ clock, random, policy = DEFAULT_RETRY_POLICY }: RetryPaceOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#policy = policy;
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Counts a failure of the key; how long to wait until the next try. */
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
