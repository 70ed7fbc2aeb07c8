import type { Socket } from 'node:net';
import type { LinkUser, SharedLink } from './shared-link.ts';
import type { Direction, Weather } from './weather.ts';

interface ProxiedPipeOptions {
  readonly from: Socket;
  readonly to: Socket;
  readonly direction: Direction;
  readonly weather: () => Weather;
  /** Called before each write: how many of these bytes may still pass. */
  readonly allowance: (bytes: number) => number;
}

/** The proxy buffers this much undelivered data; then the sender feels backpressure. */
const HELD_BYTES = 512 * 1024;
/** The bytes of a connection in the queue of a shared link, like the buffer of a small router. */
const QUEUED_BYTES = 64 * 1024;
/** How often a slow pipe forwards bytes. */
const SLOW_TICK_MS = 10;

/** One direction of a connection. */
export class ProxiedPipe implements LinkUser {
  readonly #options: ProxiedPipeOptions;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #hasEnded = false;
  #isOver = false;
  #tick: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #unspent = 0;
  #link: SharedLink | undefined;
  #queuedBytes = 0;

  constructor(options: ProxiedPipeOptions) {
    this.#options = options;
    const { from, to } = options;
    from.on('data', (chunk: Buffer) => {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      if (this.#heldBytes > HELD_BYTES) from.pause();
      this.pump();
    });
    from.on('end', () => {
      this.#hasEnded = true;
      this.pump();
    });
    to.on('drain', () => this.pump());
  }

  /** Forwards the bytes that may pass. */
  pump(): void {
    const { direction, to, weather } = this.#options;
    if (this.#isOver || this.#tick !== undefined || weather().blocked.has(direction)) return;
    const { bytesPerSecond, link } = weather();
    if (link !== undefined) {
      this.#joinLink(link[direction]);
      return;
    }
    let budget = bytesPerSecond === undefined ? Infinity : this.#budget(bytesPerSecond);
    while (budget >= 1 && this.#heldBytes > 0 && !to.writableNeedDrain) {
      const sent = this.#forward(budget);
      if (sent === 0) return;
      budget -= sent;
      if (bytesPerSecond !== undefined) this.#unspent -= sent;
    }
    this.#settle();
    if (this.#heldBytes > 0 && bytesPerSecond !== undefined) this.#later();
  }

  /** Called by the link when it is the turn of these bytes. */
  forward(bytes: number): number {
    const { direction, to, weather } = this.#options;
    const { link, blocked } = weather();
    const isStuck = this.#isOver || blocked.has(direction) || to.writableNeedDrain || link?.[direction] !== this.#link;
    if (isStuck || this.#heldBytes === 0) return 0;
    const sent = this.#forward(bytes);
    this.#queuedBytes -= sent;
    this.#settle();
    this.pump();
    return sent;
  }

  dropped(bytes: number): void {
    this.#queuedBytes -= bytes;
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#tick);
    this.#held = [];
  }

  /** The bytes allowed for the time since the last call; idle time is not credited. */
  #budget(bytesPerSecond: number): number {
    const now = performance.now();
    const most = Math.max(1, (bytesPerSecond * SLOW_TICK_MS) / 1000);
    this.#unspent = Math.min(most, this.#unspent + ((now - this.#lookedAt) * bytesPerSecond) / 1000);
    this.#lookedAt = now;
    return this.#unspent;
  }

  #joinLink(link: SharedLink): void {
    if (link !== this.#link) {
      this.#queuedBytes = 0;
      this.#link = link;
    }
    const bytes = Math.min(this.#heldBytes, QUEUED_BYTES) - this.#queuedBytes;
    if (bytes <= 0 || this.#options.to.writableNeedDrain) {
      this.#settle();
      return;
    }
    this.#queuedBytes += bytes;
    link.join(this, bytes);
  }

  /** The sender goes on when there is room, and its end is passed on once all its bytes are. */
  #settle(): void {
    if (this.#heldBytes <= HELD_BYTES) this.#options.from.resume();
    if (this.#heldBytes === 0 && this.#hasEnded) this.#options.to.end();
  }

  #forward(budget: number): number {
    const chunk = this.#held.shift() ?? Buffer.alloc(0);
    const wanted = Math.min(chunk.length, Math.floor(budget) || 1);
    const bytes = this.#options.allowance(wanted);
    if (bytes > 0) this.#options.to.write(chunk.subarray(0, bytes));
    if (bytes < chunk.length) this.#held.unshift(chunk.subarray(bytes));
    this.#heldBytes -= bytes;
    return bytes;
  }

  #later(): void {
    this.#tick = setTimeout(() => {
      this.#tick = undefined;
      this.pump();
    }, SLOW_TICK_MS);
  }
}
