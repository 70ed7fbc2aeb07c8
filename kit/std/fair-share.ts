export interface FairShareLimits {
  /** Of all keys together. */
  readonly total: number;
  /** Of one key. */
  readonly each: number;
}

/**
 * A bounded set in which no key can take the place of all others: when it is full, a key that has little displaces the oldest
 * item of the key that has most. For callers of whom only an address is known.
 */
export class FairShare<T> {
  readonly #limits: FairShareLimits;
  readonly #items = new Map<string, Set<T>>();
  /** The keys that have so many items, at that index. */
  readonly #keysWith: Set<string>[] = [];
  #most = 0;
  #size = 0;

  constructor(limits: FairShareLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  count(key: string): number {
    return this.#items.get(key)?.size ?? 0;
  }

  /** Returns what has no place any more: an older item, the new one where its own key has most, or nothing. */
  add(key: string, item: T): T | undefined {
    const own = this.count(key);
    if (own >= this.#limits.each) return item;
    const isFull = this.#size >= this.#limits.total;
    // To swap places with a key that has one more would help neither of them; a key that has nothing gets its first.
    if (isFull && own > 0 && own + 1 >= this.#most) return item;
    const displaced = isFull ? this.#removeOldest() : undefined;
    const items = this.#items.get(key) ?? new Set();
    this.#items.set(key, items.add(item));
    this.#size += 1;
    this.#moveKey(key, own, own + 1);
    return displaced;
  }

  delete(key: string, item: T): boolean {
    const items = this.#items.get(key);
    if (!items?.delete(item)) return false;
    if (items.size === 0) this.#items.delete(key);
    this.#size -= 1;
    this.#moveKey(key, items.size + 1, items.size);
    return true;
  }

  #removeOldest(): T | undefined {
    const [key] = this.#keysWith[this.#most] ?? [];
    const [item] = (key !== undefined && this.#items.get(key)) || [];
    if (key !== undefined && item !== undefined) this.delete(key, item);
    return item;
  }

  #moveKey(key: string, from: number, to: number): void {
    this.#keysWith[from]?.delete(key);
    if (to > 0) (this.#keysWith[to] ??= new Set()).add(key);
    this.#most = Math.max(this.#most, to);
    while (this.#most > 0 && !this.#keysWith[this.#most]?.size) this.#most -= 1;
  }
}
