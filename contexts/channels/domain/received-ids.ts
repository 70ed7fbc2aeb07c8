/**
 * Which ids have come: all up to one, and ranges above it. There are no more gaps than messages that are under way, so
 * that it stays small however long one of them takes.
 */
export class ReceivedIds {
  #upTo = 0;
  /** First and last of each range, ascending. No two touch, and none touches `upTo`. */
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

  /** How many below the highest have not come. */
  get missing(): number {
    return this.#missing;
  }

  has(id: number): boolean {
    if (id <= this.#upTo) return true;
    if (id > this.highest) return false;
    return receivedInOrder({ receivedUpTo: this.#upTo, receivedAbove: this.#above })(id);
  }

  /** One that has not come yet. */
  add(id: number): void {
    const highest = this.highest;
    if (id > highest) this.#missing += id - highest - 1;
    else this.#missing -= 1;
    if (id === this.#upTo + 1) this.#raise(id);
    else this.#insert(id);
  }

  /** Nothing up to this one will ever come any more. */
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
    // From the end: what comes is nearly always the newest.
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

/** The same question of what another end has told, for ids that are asked for in ascending order. */
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
