/** `high` for work that a user waits for, `low` for work that can wait a while: an initial list, a resync. */
export const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** How often a lane that is not empty is passed over before it comes first. */
const PATIENCE = 8;

/**
 * Ready items in three lanes, each first in, first out. The highest lane goes first, but a lane that was passed over
 * eight times in a row is served next: even if one lane is flooded, each of the others gets a tenth.
 */
export class ReadyLanes<T> {
  readonly #lanes = PRIORITIES.map(() => ({ items: new Fifo<T>(), passedOver: 0 }));

  size(priority: Priority): number {
    return this.#lanes[PRIORITIES.indexOf(priority)]?.items.size ?? 0;
  }

  add(item: T, priority: Priority): void {
    this.#lanes[PRIORITIES.indexOf(priority)]?.items.add(item);
  }

  remove(item: T, priority: Priority): void {
    this.#lanes[PRIORITIES.indexOf(priority)]?.items.remove(item);
  }

  take(): T | undefined {
    const waiting = this.#lanes.filter(({ items }) => items.size > 0);
    const next = waiting.find(({ passedOver }) => passedOver >= PATIENCE) ?? waiting[0];
    for (const lane of waiting) lane.passedOver = lane === next ? 0 : lane.passedOver + 1;
    return next?.items.take();
  }
}

/**
 * First in, first out, with removal from the middle, in constant time. One iterator is kept: a new one would walk over
 * all slots emptied before, and an iterator of a Set also sees later additions.
 */
class Fifo<T> {
  readonly #items = new Set<T>();
  #front: Iterator<T> | undefined;

  get size(): number {
    return this.#items.size;
  }

  add(item: T): void {
    this.#items.add(item);
  }

  remove(item: T): void {
    this.#items.delete(item);
  }

  take(): T | undefined {
    if (this.#items.size === 0) return undefined;
    this.#front ??= this.#items.values();
    const next = this.#front.next();
    if (next.done) {
      // An iterator that has reached the end stays there.
      this.#front = undefined;
      return this.take();
    }
    this.#items.delete(next.value);
    return next.value;
  }
}
