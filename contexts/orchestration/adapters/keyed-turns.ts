/**
 * A mutex per key: work with a common key runs one after the other, in order of arrival; other work runs concurrently.
 */
export class KeyedTurns {
  /** By key, the end of the work that was queued last. */
  readonly #last = new Map<string, Promise<void>>();

  /** All keys are taken in one step, so that no deadlock is possible. */
  async within<T>(keys: readonly string[], body: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.#last.get(key) ?? []);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    for (const key of keys) this.#last.set(key, end);
    try {
      await Promise.all(before);
      return await body();
    } finally {
      resolve();
      for (const key of keys) if (this.#last.get(key) === end) this.#last.delete(key);
    }
  }
}
