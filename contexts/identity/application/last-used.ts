/** Once a minute is precise enough; a write per request would be the most expensive part of the request. */
const INTERVAL_MS = 60_000;
const REMEMBERED = 10_000;

/** Collects the times of last use, so that they can be stored in batches. */
export class LastUsed {
  readonly #noted = new Map<string, number>();
  #pending = new Map<string, number>();

  /** 0 when nothing newer than the stored time is known. */
  latest(id: string): number {
    return this.#noted.get(id) ?? 0;
  }

  touch(id: string, stored: number | undefined, now: number): void {
    if (now - Math.max(stored ?? 0, this.latest(id)) < INTERVAL_MS) return;
    this.#noted.delete(id);
    this.#noted.set(id, now);
    this.#pending.set(id, now);
    this.#forgetOldest(this.#noted);
    // Full only when writes have failed for a long time; the oldest times are then worth the least.
    this.#forgetOldest(this.#pending);
  }

  /** The times to be stored; the caller returns them with `giveBack` when storing failed. */
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
