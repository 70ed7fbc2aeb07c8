const MINUTE_MS = 60_000;

/** Which reads are on record already: what polls the same thing again and again is noted once a minute. */
export class NotedReads {
  /** By what was read and by whom, the oldest first. */
  readonly #noted = new Map<string, number>();

  get size(): number {
    return this.#noted.size;
  }

  /** Whether this is to be noted, which it is from then on for a minute. */
  take(key: string, now: number): boolean {
    for (const [each, time] of this.#noted) {
      if (now - time < MINUTE_MS) break;
      this.#noted.delete(each);
    }
    if (this.#noted.has(key)) return false;
    this.#noted.set(key, now);
    return true;
  }

  /** It could not be noted. */
  giveBack(key: string): void {
    this.#noted.delete(key);
  }
}
