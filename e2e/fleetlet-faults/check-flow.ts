import type { Entry } from './journal.ts';

type Taken = Extract<Entry, { kind: 'taken' }>;

/** What the other end has of one flow, in the order in which it came. */
export class FlowCheck {
  readonly #flow: string;
  readonly #had = new Set<number>();
  #last = 0;

  constructor(flow: string) {
    this.#flow = flow;
  }

  get count(): number {
    return this.#had.size;
  }

  get last(): number {
    return this.#last;
  }

  /** What is wrong with it, if anything. */
  take({ number, redelivered }: Taken): string | undefined {
    if (this.#had.has(number)) {
      return redelivered ? undefined : `${this.#flow}: ${number} came again, without its mark`;
    }
    const before = this.#last;
    this.#had.add(number);
    this.#last = Math.max(before, number);
    // What is new has to be in order; of what comes again the sender may not know that it was lost.
    return number < before ? `${this.#flow}: ${number} came after ${before}` : undefined;
  }

  missing(upTo: number): number[] {
    return Array.from({ length: upTo }, (_, index) => index + 1).filter((number) => !this.#had.has(number));
  }
}
