import type { Clock, Random } from '#kit/std';

/** Tracks when periodic work is due, for each thing of each owner. */
export class Schedule {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #due = new Map<string, Map<string, number>>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Returns 0 if it is due. The first time is randomised between half the period and the full period, so that not
   * everything is due at once.
   */
  dueIn(owner: string, thing: string, everyMs: number): number {
    const things = this.#due.get(owner) ?? new Map<string, number>();
    this.#due.set(owner, things);
    const now = this.#clock.now();
    const due = things.get(thing) ?? now + everyMs * (0.5 + this.#random() / 2);
    things.set(thing, due);
    // A shortened period takes effect at once.
    return Math.max(0, Math.min(due - now, everyMs));
  }

  done(owner: string, thing: string, everyMs: number): void {
    this.#due.get(owner)?.set(thing, this.#clock.now() + everyMs);
  }

  forget(owner: string): void {
    this.#due.delete(owner);
  }
}
