import type { Clock, Random } from '#kit/std';

/** When something that is done every so often is due, for each thing of each owner. */
export class Schedule {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #due = new Map<string, Map<string, number>>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** 0 when it is time. First so long after it was first asked for, or a part of that: not all at the same moment. */
  dueIn(owner: string, thing: string, everyMs: number): number {
    const things = this.#due.get(owner) ?? new Map<string, number>();
    this.#due.set(owner, things);
    const now = this.#clock.now();
    const due = things.get(thing) ?? now + everyMs * (0.5 + this.#random() / 2);
    things.set(thing, due);
    // One that is done more often than before is done sooner.
    return Math.max(0, Math.min(due - now, everyMs));
  }

  done(owner: string, thing: string, everyMs: number): void {
    this.#due.get(owner)?.set(thing, this.#clock.now() + everyMs);
  }

  forget(owner: string): void {
    this.#due.delete(owner);
  }
}
