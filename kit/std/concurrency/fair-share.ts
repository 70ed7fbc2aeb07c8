export interface FairShareLimits {
  /** Maximum number of items over all keys. */
  readonly total: number;
  /** Maximum number of items per key. */
  readonly each: number;
}

/**
 * A bounded set that no single key can fill: when it is full, an item of a key with few items displaces the oldest item
 * of the key with the most. For callers that are known only by their address.
 */
export class FairShare<T> {
  readonly #limits: FairShareLimits;
  readonly #items = new Map<string, Set<T>>();
  /** At index n: the keys that have n items. */
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

  /**
   * Returns the item that has no place: an older one that was displaced, the new one if its own key has the most, or
   * `undefined`.
   */
  add(key: string, item: T): T | undefined {
    const own = this.count(key);
    if (own >= this.#limits.each) return item;
    const isFull = this.#size >= this.#limits.total;
    // Displacing an item of a key that has only one more would merely swap the two. A key without items always gets its
    // first.
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
