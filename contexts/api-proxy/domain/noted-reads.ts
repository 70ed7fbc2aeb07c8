const MINUTE_MS = 60_000;

/** Which reads have been recorded: repeated reads of the same object are recorded once a minute. */
export class NotedReads {
  /** By object and caller, oldest first. */
  readonly #noted = new Map<string, number>();

  get size(): number {
    return this.#noted.size;
  }

  /** Whether to record this read. If so, further ones are suppressed for a minute. */
  take(key: string, now: number): boolean {
    for (const [each, time] of this.#noted) {
      if (now - time < MINUTE_MS) break;
      this.#noted.delete(each);
    }
    if (this.#noted.has(key)) return false;
    this.#noted.set(key, now);
    return true;
  }

  /** To be called when recording failed. */
  giveBack(key: string): void {
    this.#noted.delete(key);
  }
}
