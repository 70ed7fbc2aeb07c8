import type { Clock } from './clock.ts';

export interface ReadCacheOptions {
  readonly clock: Clock;
  readonly entries: number;
  /** In case that a word of a change was lost. */
  readonly maxAgeMs: number;
}

/** Remembers what was read until somebody says that it may have changed. What was not there is not remembered. */
export class ReadCache<Value> {
  readonly #options: ReadCacheOptions;
  #entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(options: ReadCacheOptions) {
    this.#options = options;
  }

  async get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const { clock, entries: max, maxAgeMs } = this.#options;
    const entries = this.#entries;
    const known = entries.get(key);
    if (known !== undefined && clock.now() < known.until) return known.value;
    const value = await load();
    // What was read before a change goes into the map that was thrown away with it.
    entries.delete(key);
    if (value !== undefined) entries.set(key, { value, until: clock.now() + maxAgeMs });
    for (const oldest of entries.keys()) {
      if (entries.size <= max) break;
      entries.delete(oldest);
    }
    return value;
  }

  clear(): void {
    this.#entries = new Map();
  }
}
