/** An item that can be in one queue at a time. */
export interface Queued<T> {
  next: T | undefined;
}

/** First in, first out, without allocations: the links are in the items. */
export class Fifo<T extends Queued<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get first(): T | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    if (this.#last === undefined) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    this.#size += 1;
  }

  unshift(item: T): void {
    item.next = this.#first;
    this.#first = item;
    this.#last ??= item;
    this.#size += 1;
  }

  shift(): T | undefined {
    const item = this.#first;
    if (item === undefined) return undefined;
    this.#first = item.next;
    if (item.next === undefined) this.#last = undefined;
    item.next = undefined;
    this.#size -= 1;
    return item;
  }

  /** Removes the item behind the first. */
  removeSecond(): T | undefined {
    const first = this.#first;
    const second = first?.next;
    if (first === undefined || second === undefined) return undefined;
    first.next = second.next;
    if (second.next === undefined) this.#last = first;
    second.next = undefined;
    this.#size -= 1;
    return second;
  }

  /** Removes and returns all matching items. Visits every item. */
  removeWhere(matches: (item: T) => boolean): T[] {
    const removed: T[] = [];
    for (let left = this.#size; left > 0; left -= 1) {
      const item = this.shift();
      if (item === undefined) break;
      if (matches(item)) removed.push(item);
      else this.push(item);
    }
    return removed;
  }
}
