import { unlessAborted } from './unless-aborted.ts';

/** A mutex per key: bodies with a common key run one at a time, in order of arrival; others run concurrently. */
export class KeyedMutex {
  /** By key, the end of the body that arrived last. */
  readonly #last = new Map<string, Promise<void>>();

  /** The number of keys for which a body runs or waits. */
  get size(): number {
    return this.#last.size;
  }

  /**
   * Takes all keys in one step, so that no deadlock is possible. If the signal aborts before its turn, the body does not
   * run; those behind it still wait for those before it.
   */
  async run<T>(keys: readonly string[], body: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const turn = Promise.all(keys.flatMap((key) => this.#last.get(key) ?? []));
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const end = turn.then(() => over);
    for (const key of keys) this.#last.set(key, end);
    const forget = (): void => {
      for (const key of keys) if (this.#last.get(key) === end) this.#last.delete(key);
    };
    // None of these promises rejects.
    end.then(forget, forget);
    try {
      await unlessAborted(turn, signal);
      return await body();
    } finally {
      resolve();
    }
  }
}
