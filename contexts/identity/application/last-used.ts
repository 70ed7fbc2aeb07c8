/** Once a minute is enough to see what is in use, and a write for each request would be its most expensive part. */
const INTERVAL_MS = 60_000;
const REMEMBERED = 10_000;

/** Gathers when things were last used, so that somebody can write it down now and then, many at once. */
export class LastUsed {
  readonly #noted = new Map<string, number>();
  #pending = new Map<string, number>();

  /** 0 when nothing is known beyond what is stored. */
  latest(id: string): number {
    return this.#noted.get(id) ?? 0;
  }

  touch(id: string, stored: number | undefined, now: number): void {
    if (now - Math.max(stored ?? 0, this.latest(id)) < INTERVAL_MS) return;
    this.#noted.delete(id);
    this.#noted.set(id, now);
    this.#pending.set(id, now);
    this.#forgetOldest(this.#noted);
    // Full only when nobody could write for a long time; then the oldest notes are worth the least.
    this.#forgetOldest(this.#pending);
  }

  /** What is to be written; the caller gives it back when it cannot be. */
  take(): ReadonlyMap<string, number> {
    const taken = this.#pending;
    this.#pending = new Map();
    return taken;
  }

  giveBack(taken: ReadonlyMap<string, number>): void {
    this.#pending = new Map([...taken, ...this.#pending]);
  }

  #forgetOldest(times: Map<string, number>): void {
    const [oldest] = times.keys();
    if (times.size > REMEMBERED && oldest !== undefined) times.delete(oldest);
  }
}
