/**
 * The ids received so far: all up to one, and ranges above it. There are never more gaps than messages in flight, so the set
 * stays small however long one message takes.
 */
export class ReceivedIds {
  #upTo = 0;
  /** First and last of each range, ascending. No two ranges touch, and none touches `upTo`. */
  #above: number[] = [];
  #missing = 0;

  get upTo(): number {
    return this.#upTo;
  }

  get above(): readonly number[] {
    return this.#above;
  }

  get highest(): number {
    return this.#above.at(-1) ?? this.#upTo;
  }

  /** How many ids below the highest have not been received. */
  get missing(): number {
    return this.#missing;
  }

  has(id: number): boolean {
    if (id <= this.#upTo) return true;
    if (id > this.highest) return false;
    return receivedInOrder({ receivedUpTo: this.#upTo, receivedAbove: this.#above })(id);
  }

  /** `id` must not have been received before. */
  add(id: number): void {
    const highest = this.highest;
    if (id > highest) this.#missing += id - highest - 1;
    else this.#missing -= 1;
    if (id === this.#upTo + 1) this.#raise(id);
    else this.#insert(id);
  }

  /** No id up to this one will arrive any more. */
  skipTo(id: number): void {
    this.#upTo = id;
    this.#above = [];
    this.#missing = 0;
  }

  #raise(id: number): void {
    this.#upTo = id;
    if (this.#above[0] !== id + 1) return;
    this.#upTo = this.#above[1] ?? id;
    this.#above.splice(0, 2);
  }

  #insert(id: number): void {
    const above = this.#above;
    // From the end: the id that arrives is nearly always the newest.
    let at = above.length;
    while (at > 0 && (above[at - 2] ?? 0) > id) at -= 2;
    const touchesBefore = at > 0 && above[at - 1] === id - 1;
    const touchesAfter = above[at] === id + 1;
    if (touchesBefore && touchesAfter) above.splice(at - 1, 2);
    else if (touchesBefore) above[at - 1] = id;
    else if (touchesAfter) above[at] = id;
    else above.splice(at, 0, id, id);
  }
}

/** The same check against the memory that another end reported. The ids must be queried in ascending order. */
export function receivedInOrder(memory: {
  readonly receivedUpTo: number;
  readonly receivedAbove: readonly number[];
}): (id: number) => boolean {
  const ranges = memory.receivedAbove;
  let at = 0;
  return (id) => {
    if (id <= memory.receivedUpTo) return true;
    while (at + 1 < ranges.length && (ranges[at + 1] ?? 0) < id) at += 2;
    return at + 1 < ranges.length && id >= (ranges[at] ?? 0);
  };
}
