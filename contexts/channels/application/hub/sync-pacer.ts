export interface SyncPacerDeps {
  /** So many tell their full account at once; 16 unless told. */
  readonly most?: number;
  /** One that has not come to its end by then holds up nobody any longer; 60 s unless told. */
  readonly withinMs?: number;
  /** Tells whoever speaks for the target to begin. */
  readonly begin: (target: string) => void;
}

const MOST = 16;
const WITHIN_MS = 60_000;

/** Lets targets tell all that they have a few at a time, in the order in which they came: a restart brings all at once. */
export class SyncPacer {
  readonly #most: number;
  readonly #withinMs: number;
  readonly #begin: (target: string) => void;
  readonly #waiting = new Set<string>();
  /** Until when each has its turn, oldest first. */
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

  /** Whoever has a turn already and asks anew was cut off in it: it begins again, at the end of the line. */
  want(target: string, now: number): void {
    this.#turns.delete(target);
    this.#waiting.add(target);
    this.#goOn(now);
  }

  /** It has told all, or is not there any more. */
  done(target: string, now: number): void {
    this.#waiting.delete(target);
    if (this.#turns.delete(target)) this.#goOn(now);
  }

  /** From time to time. */
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
