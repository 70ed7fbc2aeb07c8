/** Work that touches the same things is done one after the other, in the order of asking; other work beside it. */
export class KeyedTurns {
  /** By key, the end of the last work that was asked for. */
  readonly #last = new Map<string, Promise<void>>();

  /** All keys are taken in one step, so that no two can wait for each other. */
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
