import { StdError } from '../std-error.ts';
import { LinkedList } from './linked-list.ts';

/** `block`: a push waits for room. `drop-oldest`: a push never waits, and lost items are counted; for telemetry only. */
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
 * Passes items from producers to consumers, first in, first out, and holds at most `capacity` of them. Waiters are
 * served in order of arrival; a waiter that aborts is removed at once, with its item.
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

  /** The number of waiting pushes and takes. */
  get waiting(): number {
    return this.#takers.size + this.#pushers.size;
  }

  /** Items lost to `drop-oldest` so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Resolves when the queue has accepted the item. Rejects with `QUEUE_CLOSED` or the signal's reason if it has not. */
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

  /** Resolves with the oldest item when there is one; `undefined` once the queue is closed and empty. */
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

  /** Yields items until the queue is closed and empty. */
  async *items(signal: AbortSignal): AsyncGenerator<T, void, void> {
    for (let item = await this.take(signal); item !== undefined; item = await this.take(signal)) yield item;
  }

  /** Refuses all further pushes, including waiting ones. Items in the queue can still be taken. */
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

/** Waits in line until served or aborted; either one cleans up after the other. */
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
