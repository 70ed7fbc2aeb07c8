export const MISSED_BEATS = 3;

/** Speaks for its connection: is opened first, is pinged on, and is the end of the connection when it ends. */
export const LEAD_CHANNEL = 'control';

/**
 * Says when to ping, and whether the other end is still there. What counts are beats without an answer, not time: whoever
 * was asleep is not dead.
 */
export class Heartbeat {
  /** Sends one, if there is anything to send it on. */
  readonly #ping: (nonce: number) => boolean;
  #everyMs: number;
  #at = 0;
  #nonce = 0;
  #pinged = false;
  #missed = 0;
  /** Set by whatever arrives. */
  heard = false;

  constructor(everyMs: number, ping: (nonce: number) => boolean) {
    this.#everyMs = everyMs;
    this.#ping = ping;
  }

  set everyMs(ms: number) {
    this.#everyMs = ms;
  }

  get isLost(): boolean {
    return this.#missed >= MISSED_BEATS;
  }

  begin(now: number): void {
    this.#at = now + this.#everyMs;
    this.#pinged = false;
    this.#missed = 0;
  }

  /** When it is due again. */
  tend(now: number): number {
    // A clock that was set back must not keep it silent.
    this.#at = Math.min(this.#at, now + this.#everyMs);
    if (now < this.#at) return this.#at;
    this.#missed = this.#pinged && !this.heard ? this.#missed + 1 : 0;
    this.heard = false;
    this.#nonce += 1;
    this.#pinged = this.#ping(this.#nonce);
    this.#at = now + this.#everyMs;
    return this.#at;
  }
}
