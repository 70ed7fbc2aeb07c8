import type { Clock, Sleep } from '#kit/std';
import { KubeError } from '../kube-error.ts';

/** `high` is for requests that keep a program alive, such as its lease; `low` for requests that can wait for all others. */
export type Priority = 'high' | 'normal' | 'low';

export interface RateLimit {
  readonly perSecond: number;
  /** How many requests may be sent at once after a quiet period. */
  readonly burst: number;
}

export interface GateOptions {
  /** Concurrent requests. `high` requests are not limited, so that a server that is stuck on others does not delay them. */
  readonly maxInFlight: number;
  /** When this many requests already wait, further ones are refused: `OVERLOADED`. */
  readonly maxWaiting: number;
  readonly rate?: RateLimit | undefined;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: KubeError) => void;
}

const ORDER: readonly Priority[] = ['high', 'normal', 'low'];

/**
 * Limits the concurrency and rate of requests. The most urgent waiting request goes first, and among equals the one
 * that came first.
 */
export class RequestGate {
  readonly #options: GateOptions;
  readonly #waiting: Readonly<Record<Priority, Set<Waiter>>> = { high: new Set(), normal: new Set(), low: new Set() };
  readonly #closing = new AbortController();
  #inFlight = 0;
  #tokens: number;
  #filledAt: number;
  #refilling = false;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#tokens = options.rate?.burst ?? Number.POSITIVE_INFINITY;
    this.#filledAt = options.clock.now();
  }

  get waiting(): number {
    return ORDER.reduce((sum, priority) => sum + this.#waiting[priority].size, 0);
  }

  /** Each `enter` that resolved must be followed by one `leave`. */
  async enter(priority: Priority, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closing.signal.aborted) throw closed();
    if (this.#isNext(priority) && this.#take(priority)) return;
    if (this.waiting >= this.#options.maxWaiting) {
      throw new KubeError('OVERLOADED', `send a request: ${this.#options.maxWaiting} others are already waiting`);
    }
    await this.#wait(priority, signal);
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#admit();
  }

  /** Refuses all waiting and later requests. */
  close(): void {
    this.#closing.abort();
    for (const priority of ORDER) for (const waiter of this.#waiting[priority]) waiter.refuse(closed());
  }

  #isNext(priority: Priority): boolean {
    return ORDER.slice(0, ORDER.indexOf(priority) + 1).every((urgent) => this.#waiting[urgent].size === 0);
  }

  async #wait(priority: Priority, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = this.#waiting[priority];
    const waiter: Waiter = { admit: resolve, refuse: reject };
    const onAbort = (): void => {
      line.delete(waiter);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    line.add(waiter);
    this.#admit();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Admits waiting requests as far as possible, the most urgent first. */
  #admit(): void {
    for (const priority of ORDER) {
      for (const waiter of this.#waiting[priority]) {
        if (!this.#take(priority)) return this.#admitLater();
        this.#waiting[priority].delete(waiter);
        waiter.admit();
      }
    }
  }

  #take(priority: Priority): boolean {
    if (priority !== 'high' && this.#inFlight >= this.#options.maxInFlight) return false;
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    this.#inFlight += 1;
    return true;
  }

  #refill(): void {
    const { rate, clock } = this.#options;
    if (!rate) return;
    const now = clock.now();
    const passed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(rate.burst, this.#tokens + (passed * rate.perSecond) / 1000);
    this.#filledAt = now;
  }

  /** Waits only for rate tokens; a slot in flight becomes free with `leave`. */
  #admitLater(): void {
    const { rate, sleep } = this.#options;
    if (!rate || this.#tokens >= 1 || this.#refilling) return;
    this.#refilling = true;
    const again = (): void => {
      this.#refilling = false;
      this.#admit();
    };
    sleep(Math.ceil(((1 - this.#tokens) * 1000) / rate.perSecond), this.#closing.signal).then(again, () => {});
  }
}

function closed(): KubeError {
  return new KubeError('CLOSED', 'send a request: the client is closed');
}
