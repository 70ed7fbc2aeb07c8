/** An item with a due time. `slot` belongs to the heap; other code must not change it. */
export interface Due {
  readonly due: number;
  slot: number;
}

/** A heap of items by due time, earliest first. Any item can be removed. All operations take logarithmic time. */
export class DueHeap<T extends Due> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  get earliest(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#rise(item, this.#items.length);
  }

  /** The item must be in this heap. */
  remove(item: T): void {
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    // The last item fills the gap. It may have to move up or down from there.
    this.#rise(last, item.slot);
    this.#sink(last, last.slot);
  }

  #rise(item: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || parent.due <= item.due) break;
      this.#put(parent, slot);
      slot = above;
    }
    this.#put(item, slot);
  }

  #sink(item: T, from: number): void {
    let slot = from;
    for (;;) {
      const child = this.#earlierChild(slot);
      if (child === undefined || child.due >= item.due) break;
      const below = child.slot;
      this.#put(child, slot);
      slot = below;
    }
    this.#put(item, slot);
  }

  #earlierChild(slot: number): T | undefined {
    const left = this.#items[2 * slot + 1];
    const right = this.#items[2 * slot + 2];
    return left !== undefined && right !== undefined && right.due < left.due ? right : left;
  }

  #put(item: T, slot: number): void {
    this.#items[slot] = item;
    item.slot = slot;
  }
}
