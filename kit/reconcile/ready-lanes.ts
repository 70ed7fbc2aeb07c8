/** `high` for what somebody waits for, `low` for what nobody would miss for a while: a first listing, a resync. */
export const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** How often a lane with something in it is passed over before it comes first. */
const PATIENCE = 8;

/**
 * What is ready, in three lanes, each first in, first out. The highest lane goes first, but one that was passed over
 * eight times in a row has its turn: whatever floods one lane, the others get a tenth each.
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
 * First in, first out, and out of the middle, in constant time. One iterator is kept: a fresh one would walk over all
 * places that were emptied before, and an iterator of a Set sees what is added behind it.
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
      // An iterator that has come to the end stays there.
      this.#front = undefined;
      return this.take();
    }
    this.#items.delete(next.value);
    return next.value;
  }
}
