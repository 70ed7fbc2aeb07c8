export const MISSED_BEATS = 3;

/** The channel that leads its connection: it is opened first, carries the pings, and ends the connection when it ends. */
export const LEAD_CHANNEL = 'control';

/**
 * Decides when to ping and whether the other end is alive. It counts beats without an answer, not time, so a process that was
 * suspended does not count as dead.
 */
export class Heartbeat {
  /** Sends a ping, if there is a stream to send it on. */
  readonly #ping: (nonce: number) => boolean;
  #everyMs: number;
  #at = 0;
  #nonce = 0;
  #pinged = false;
  #missed = 0;
  /** Set by every frame that arrives. */
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

  /** Returns the time of the next beat. */
  tend(now: number): number {
    // A clock that was set back must not stop the heartbeat.
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
