import type { Clock } from '#kit/std';

export interface RememberedOptions {
  readonly clock: Clock;
  readonly entries: number;
  readonly maxAgeMs: number;
}

/** Keeps what was read until somebody says that it may have changed. That nothing was there is not kept. */
export class Remembered<Value> {
  readonly #options: RememberedOptions;
  #entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(options: RememberedOptions) {
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
