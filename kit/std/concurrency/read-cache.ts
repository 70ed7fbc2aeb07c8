import type { Clock } from '../clock.ts';

export interface ReadCacheOptions {
  readonly clock: Clock;
  readonly entries: number;
  /** Bounds staleness if a change notification is lost. */
  readonly maxAgeMs: number;
}

/** Caches values until `clear` is called. Missing values are not cached. */
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
    // If `clear` replaced the map during the load, the value goes into the discarded map.
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
