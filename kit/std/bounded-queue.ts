import { LinkedList } from './linked-list.ts';
import { StdError } from './std-error.ts';

/** `block`: a push waits for room. `drop-oldest`: it never waits, and what was lost is counted; for telemetry only. */
export type WhenFull = 'block' | 'drop-oldest';

export interface BoundedQueueOptions {
  readonly capacity: number;
  readonly whenFull: WhenFull;
}

interface Taker<T> {
  readonly give: (item: T | undefined) => void;
}

interface Pusher<T> {
  readonly item: T;
  readonly accept: () => void;
  readonly refuse: (error: StdError) => void;
}

/**
 * Hands items from those who make them to those who use them, first in, first out, and holds no more than `capacity`.
 * Waiters are served in the order in which they came; one that aborts is forgotten at once, with its item.
 */
export class BoundedQueue<T extends NonNullable<unknown>> {
  readonly #capacity: number;
  readonly #whenFull: WhenFull;
  readonly #items = new LinkedList<T>();
  // Takers wait only while there is no item, and pushers only while there is no room: never both.
  readonly #takers = new LinkedList<Taker<T>>();
  readonly #pushers = new LinkedList<Pusher<T>>();
  #closed = false;
  #dropped = 0;

  constructor(options: BoundedQueueOptions) {
    if (!Number.isInteger(options.capacity) || options.capacity < 1) {
      throw new RangeError(`a queue holds at least one item, not ${options.capacity}`);
    }
    this.#capacity = options.capacity;
    this.#whenFull = options.whenFull;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Pushes and takes that wait now. */
  get waiting(): number {
    return this.#takers.size + this.#pushers.size;
  }

  /** Items lost to `drop-oldest` so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Resolves once the queue has the item. Rejects with `QUEUE_CLOSED`, or with the signal's reason: then it has not. */
  async push(item: T, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw closedError();
    const taker = this.#takers.removeFirst();
    if (taker) return taker.give(item);
    if (this.#items.size === this.#capacity) {
      if (this.#whenFull === 'block') return this.#waitForRoom(item, signal);
      this.#items.removeFirst();
      this.#dropped += 1;
    }
    this.#items.append(item);
  }

  /** The oldest item, as soon as there is one; `undefined` once the queue is closed and empty. */
  async take(signal: AbortSignal): Promise<T | undefined> {
    signal.throwIfAborted();
    const item = this.#items.removeFirst();
    if (item === undefined) return this.#closed ? undefined : this.#waitForItem(signal);
    const pusher = this.#pushers.removeFirst();
    if (pusher) {
      this.#items.append(pusher.item);
      pusher.accept();
    }
    return item;
  }

  /** Takes until the queue is closed and empty. */
  async *items(signal: AbortSignal): AsyncGenerator<T, void, void> {
    for (let item = await this.take(signal); item !== undefined; item = await this.take(signal)) yield item;
  }

  /** Refuses every push from now on, waiting ones included. What is in the queue can still be taken. */
  close(): void {
    this.#closed = true;
    for (let taker = this.#takers.removeFirst(); taker; taker = this.#takers.removeFirst()) taker.give(undefined);
    for (let pusher = this.#pushers.removeFirst(); pusher; pusher = this.#pushers.removeFirst()) {
      pusher.refuse(closedError());
    }
  }

  #waitForRoom(item: T, signal: AbortSignal): Promise<void> {
    return waitIn(this.#pushers, signal, (settle, reject) => ({ item, accept: settle, refuse: reject }));
  }

  #waitForItem(signal: AbortSignal): Promise<T | undefined> {
    return waitIn(this.#takers, signal, (settle: (item: T | undefined) => void) => ({ give: settle }));
  }
}

function closedError(): StdError {
  return new StdError('QUEUE_CLOSED', 'push to a queue that is closed');
}

/** Stands in line until served or aborted; whichever comes first takes the other's traces away. */
function waitIn<W, R>(
  line: LinkedList<W>,
  signal: AbortSignal,
  waiter: (settle: (result: R) => void, reject: (error: StdError) => void) => W,
): Promise<R> {
  return new Promise<R>((resolve, reject) => {
    const onAbort = (): void => {
      line.remove(node);
      reject(signal.reason);
    };
    const node = line.append(
      waiter(
        (result) => {
          signal.removeEventListener('abort', onAbort);
          resolve(result);
        },
        (error) => {
          signal.removeEventListener('abort', onAbort);
          reject(error);
        },
      ),
    );
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
