import type { Clock } from '#kit/std';

export interface ReadCacheOptions {
  readonly clock: Clock;
  readonly entries: number;
  /** In case that a word from another process was lost. */
  readonly maxAgeMs: number;
}

/** Remembers what was read until somebody says that it may have changed. What was not there is not remembered. */
export class ReadCache<Value> {
  readonly #options: ReadCacheOptions;
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  #generation = 0;

  constructor(options: ReadCacheOptions) {
    this.#options = options;
  }

  async get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const { clock } = this.#options;
    const known = this.#entries.get(key);
    if (known !== undefined && clock.now() < known.until) return known.value;
    const generation = this.#generation;
    const value = await load();
    // What was read before a change must not outlive the word of it.
    if (value !== undefined && generation === this.#generation) this.#remember(key, value);
    return value;
  }

  clear(): void {
    this.#generation += 1;
    this.#entries.clear();
  }

  #remember(key: string, value: Value): void {
    const { clock, entries, maxAgeMs } = this.#options;
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: clock.now() + maxAgeMs });
    if (this.#entries.size <= entries) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
