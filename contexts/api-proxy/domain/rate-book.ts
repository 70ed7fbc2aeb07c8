export interface RateLimit {
  readonly max: number;
  readonly windowMs: number;
}

interface Window {
  readonly endsAt: number;
  count: number;
}

const REMEMBERED = 10_000;

/** Requests per key in a time window. The least recently seen keys are forgotten first. */
export class RateBook {
  readonly #limit: RateLimit;
  readonly #windows = new Map<string, Window>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Counts one request; returns the milliseconds to wait when the limit is exceeded. */
  count(who: string, now: number): number | undefined {
    const window = this.#windowOf(who, now);
    window.count += 1;
    return this.#late(window, now);
  }

  #late({ count, endsAt }: Window, now: number): number | undefined {
    return count > this.#limit.max ? endsAt - now : undefined;
  }

  #windowOf(who: string, now: number): Window {
    const known = this.#windows.get(who);
    const window = known !== undefined && known.endsAt > now ? known : { endsAt: now + this.#limit.windowMs, count: 0 };
    this.#windows.delete(who);
    this.#windows.set(who, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > REMEMBERED && oldest !== undefined) this.#windows.delete(oldest);
    return window;
  }
}
