import type { FairShareLimits } from '#kit/std';

export interface HandshakeQueueOptions<T> {
  readonly begin: (caller: T) => void;
  /** The caller's turn has not come in time, or its handshake did not end in time. */
  readonly expire: (caller: T) => void;
  /** Concurrent handshakes, however busy this process is. */
  readonly fewest?: number;
  /** After this time a handshake no longer counts: a caller that stays silent must not hold up others. */
  readonly patienceMs?: number;
  /**
   * Maximum of unfinished handshakes, whether or not they count: of all networks together, and of one. At the maximum of one,
   * its callers wait; at that of all, the oldest expires for the next.
   */
  readonly limits?: FairShareLimits;
  /** Maximum wait for a turn. */
  readonly waitMs?: number;
}

/** How often the queue measures whether this process keeps up. */
const LOOK_EVERY_MS = 25;
const IN_TIME_MS = 3;
const TOO_LATE_MS = 10;
const MOST = 16;
/** Unfinished handshakes. Each holds some 60 KiB in OpenSSL, and one of a distant caller ends within a second or two. */
export const HANDSHAKES: FairShareLimits = { total: 64, each: 48 };
export const HANDSHAKE_WAIT_MS = 10_000;

interface Waiting<T> {
  readonly caller: T;
  readonly until: number;
}

/**
 * DECISION: only a few handshakes run at once, however many callers there are. A thousand callers that were cut off come back
 * at the same moment. If all handshakes started at once, all would also have their next step ready at once, and all other work
 * of this process would wait for seconds. One after the other they finish just as soon.
 *
 * The lateness of a timer decides how many run: remote callers leave this process idle until they answer, so more are started
 * meanwhile; nearby callers keep it busy, and other requests are delayed as much as the timer is.
 *
 * The next handshake is from the network with the fewest unfinished ones: a network whose callers never finish comes last.
 */
export class HandshakeQueue<T> {
  readonly #options: Required<HandshakeQueueOptions<T>>;
  /** By network. A network that was served moves to the end. */
  readonly #waiting = new Map<string, Waiting<T>[]>();
  readonly #unfinished = new Map<T, string>();
  readonly #unfinishedOf = new Map<string, number>();
  /** Start times of the handshakes that count, oldest first. */
  readonly #counting = new Map<T, number>();
  #room: number;
  #looksAt: number | undefined;
  /** Guards against reentry by a handshake that ends synchronously. */
  #isBeginning = false;

  constructor(options: HandshakeQueueOptions<T>) {
    this.#options = { fewest: 4, patienceMs: 500, limits: HANDSHAKES, waitMs: HANDSHAKE_WAIT_MS, ...options };
    this.#room = this.#options.fewest;
  }

  add(caller: T, network: string): void {
    const waiting = this.#waiting.get(network) ?? [];
    waiting.push({ caller, until: performance.now() + this.#options.waitMs });
    this.#waiting.set(network, waiting);
    this.#beginSome();
  }

  /** The handshake is complete or has failed. Idempotent. */
  readonly over = (caller: T): void => {
    const network = this.#unfinished.get(caller);
    if (network === undefined) return;
    this.#unfinished.delete(caller);
    this.#counting.delete(caller);
    const left = (this.#unfinishedOf.get(network) ?? 1) - 1;
    if (left > 0) this.#unfinishedOf.set(network, left);
    else this.#unfinishedOf.delete(network);
    if (!this.#isBeginning) this.#beginSome();
  };

  #beginSome(): void {
    const { patienceMs, begin } = this.#options;
    const now = performance.now();
    for (const [caller, begunAt] of this.#counting) {
      if (begunAt + patienceMs >= now) break;
      this.#counting.delete(caller);
    }
    this.#isBeginning = true;
    while (this.#counting.size < this.#room) {
      const network = this.#next();
      const next = network === undefined ? undefined : this.#takeFirst(network);
      if (network === undefined || next === undefined) break;
      if (this.#unfinished.size >= this.#options.limits.total) this.#giveUpOldest();
      this.#counting.set(next.caller, now);
      this.#unfinished.set(next.caller, network);
      this.#unfinishedOf.set(network, (this.#unfinishedOf.get(network) ?? 0) + 1);
      begin(next.caller);
    }
    this.#isBeginning = false;
    if (this.#waiting.size > 0) this.#lookAgain(now);
  }

  #giveUpOldest(): void {
    const [oldest] = this.#unfinished.keys();
    if (oldest === undefined) return;
    this.over(oldest);
    this.#options.expire(oldest);
  }

  #next(): string | undefined {
    let [next, fewest]: [string | undefined, number] = [undefined, this.#options.limits.each];
    for (const network of this.#waiting.keys()) {
      const unfinished = this.#unfinishedOf.get(network) ?? 0;
      if (unfinished >= fewest) continue;
      [next, fewest] = [network, unfinished];
      if (fewest === 0) break;
    }
    return next;
  }

  #takeFirst(network: string): Waiting<T> | undefined {
    const waiting = this.#waiting.get(network);
    const first = waiting?.shift();
    this.#waiting.delete(network);
    if (waiting !== undefined && waiting.length > 0) this.#waiting.set(network, waiting);
    return first;
  }

  #lookAgain(now: number): void {
    if (this.#looksAt !== undefined) return;
    this.#looksAt = now + LOOK_EVERY_MS;
    setTimeout(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #look(): void {
    const now = performance.now();
    const lateMs = now - (this.#looksAt ?? 0);
    this.#looksAt = undefined;
    this.#room = roomAfter(this.#room, lateMs, this.#options.fewest);
    for (const [network, waiting] of this.#waiting) {
      while ((waiting[0]?.until ?? now) < now) {
        const late = waiting.shift();
        if (late !== undefined) this.#options.expire(late.caller);
      }
      if (waiting.length === 0) this.#waiting.delete(network);
    }
    this.#beginSome();
  }
}

/** How many may run from now on. Decreases faster than it grows. */
export function roomAfter(room: number, lateMs: number, fewest: number): number {
  if (lateMs > TOO_LATE_MS) return Math.max(fewest, Math.floor(room / 2));
  return lateMs < IN_TIME_MS ? Math.min(MOST, room + 1) : room;
}
