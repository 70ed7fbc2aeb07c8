import { PATIENCE_MS } from '#testing/patience';

/** A list that a test can wait on, instead of sleeping. */
export class Watched<T> {
  readonly items: T[] = [];
  readonly #waiting = new Set<() => void>();

  readonly add = (item: T): void => {
    this.items.push(item);
    for (const look of this.#waiting) look();
  };

  /** Resolves when the items match; rejects after a timeout with the actual items. */
  async until(wanted: (items: readonly T[]) => boolean, what: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (wanted(this.items)) resolve();
    };
    const timer = setTimeout(
      () => reject(new Error(`waited for ${what}, had ${JSON.stringify(this.items)}`)),
      PATIENCE_MS,
    );
    this.#waiting.add(look);
    look();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }
}
