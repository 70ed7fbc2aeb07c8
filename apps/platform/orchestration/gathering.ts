interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Timeout of one batch. */
const WRITE_MS = 20_000;

/**
 * While one batch is written, the next one gathers: the higher the load, the fewer transactions per item. A failed
 * batch is retried item by item, so that one bad item affects no other. Callers wait for their own items, which bounds
 * the number that wait.
 */
export class Gathering<T> {
  readonly #write: (items: readonly T[], signal: AbortSignal) => Promise<void>;
  #waiting: Waiting<T>[] = [];
  #isWriting = false;

  /** `write` may receive the same items twice. */
  constructor(write: (items: readonly T[], signal: AbortSignal) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once it is written. */
  async add(item: T): Promise<void> {
    const written = new Promise<void>((resolve, reject) => this.#waiting.push({ item, resolve, reject }));
    // Never rejects: each item is settled by itself.
    if (!this.#isWriting) this.#writeAll().catch(() => {});
    await written;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0));
    this.#isWriting = false;
  }

  async #writeBatch(batch: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.#try(batch);
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(error);
      for (const one of batch) await this.#writeBatch([one]);
    }
  }

  async #try(batch: readonly Waiting<T>[]): Promise<void> {
    const items = batch.map(({ item }) => item);
    await this.#write(items, AbortSignal.timeout(WRITE_MS));
    for (const { resolve } of batch) resolve();
  }
}
