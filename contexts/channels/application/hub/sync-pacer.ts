export interface SyncPacerDeps {
  /** How many targets sync at once; default 16. */
  readonly most?: number;
  /** A sync that takes longer no longer holds up others; default 60 s. */
  readonly withinMs?: number;
  /** Asks the session that serves the target to start. */
  readonly begin: (target: string) => void;
}

const MOST = 16;
const WITHIN_MS = 60_000;

/** Lets a few targets at a time send a full sync, in order of arrival: a restart brings all of them at once. */
export class SyncPacer {
  readonly #most: number;
  readonly #withinMs: number;
  readonly #begin: (target: string) => void;
  readonly #waiting = new Set<string>();
  /** The deadline of each running sync, oldest first. */
  readonly #turns = new Map<string, number>();

  constructor({ most = MOST, withinMs = WITHIN_MS, begin }: SyncPacerDeps) {
    this.#most = most;
    this.#withinMs = withinMs;
    this.#begin = begin;
  }

  get underWay(): number {
    return this.#turns.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** A target that asks again during its sync was cut off: it starts over, at the end of the queue. */
  want(target: string, now: number): void {
    this.#turns.delete(target);
    this.#waiting.add(target);
    this.#goOn(now);
  }

  /** The target has finished its sync, or is gone. */
  done(target: string, now: number): void {
    this.#waiting.delete(target);
    if (this.#turns.delete(target)) this.#goOn(now);
  }

  /** Call periodically. */
  sweep(now: number): void {
    for (const [target, until] of this.#turns) {
      if (until > now) break;
      this.#turns.delete(target);
    }
    this.#goOn(now);
  }

  #goOn(now: number): void {
    for (const target of this.#waiting) {
      if (this.#turns.size >= this.#most) return;
      this.#waiting.delete(target);
      this.#turns.set(target, now + this.#withinMs);
      this.#begin(target);
    }
  }
}
