/** A sender on the link. */
export interface LinkUser {
  /** Forwards at most this many bytes; returns how many, 0 if it cannot at the moment. */
  forward(bytes: number): number;
  /** These bytes lost their place in the queue: they could not be forwarded when their turn came. */
  dropped(bytes: number): void;
}

/** How often the link forwards bytes. */
const TICK_MS = 2;

/**
 * One direction of a network link that all connections share. Bytes leave in the order in which they joined the queue,
 * as in a router: a connection that sends much delays the others by what it has in the queue.
 */
export class SharedLink {
  readonly #bytesPerSecond: number;
  readonly #queue: { readonly user: LinkUser; bytes: number }[] = [];
  #unspent = 0;
  #lookedAt = performance.now();
  #tick: NodeJS.Timeout | undefined;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  join(user: LinkUser, bytes: number): void {
    if (this.#queue.length === 0) this.#lookedAt = performance.now();
    this.#queue.push({ user, bytes });
    this.#tick ??= setInterval(() => this.#send(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#tick);
    this.#queue.length = 0;
  }

  #send(): void {
    const now = performance.now();
    this.#unspent += ((now - this.#lookedAt) * this.#bytesPerSecond) / 1_000;
    this.#lookedAt = now;
    for (let first = this.#queue[0]; first !== undefined && this.#unspent >= 1; first = this.#queue[0]) {
      const sent = first.user.forward(Math.min(first.bytes, Math.floor(this.#unspent)));
      this.#unspent -= sent;
      first.bytes -= sent;
      if (sent > 0 && first.bytes > 0) continue;
      this.#queue.shift();
      if (first.bytes > 0) first.user.dropped(first.bytes);
    }
    if (this.#queue.length > 0) return;
    clearInterval(this.#tick);
    this.#tick = undefined;
    // Idle time is not credited.
    this.#unspent = 0;
  }
}
