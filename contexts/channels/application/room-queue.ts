/** A caller that waits for room. `take` claims the room if there is enough. */
interface Waiter {
  readonly take: () => boolean;
  readonly resolve: () => void;
  readonly reject: (why: unknown) => void;
}

/** Callers that wait for room, served in order. A waiter that aborts is removed at once. */
export class RoomQueue {
  readonly #waiters = new Set<Waiter>();

  get size(): number {
    return this.#waiters.size;
  }

  /** `take` is called whenever there may be room; it returns whether there was enough. */
  wait(take: () => boolean, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = (): void => signal.removeEventListener('abort', onAbort);
    const waiter: Waiter = {
      take,
      resolve: () => {
        done();
        resolve();
      },
      reject: (why) => {
        done();
        reject(why);
      },
    };
    const onAbort = (): void => {
      this.#waiters.delete(waiter);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiters.add(waiter);
    return promise;
  }

  /** Serves waiters while there is room; returns how many were served. */
  serve(): number {
    let served = 0;
    for (const waiter of this.#waiters) {
      if (!waiter.take()) break;
      this.#waiters.delete(waiter);
      waiter.resolve();
      served += 1;
    }
    return served;
  }

  refuseAll(why: unknown): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const { reject } of waiters) reject(why);
  }
}
