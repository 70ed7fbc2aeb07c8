import type { Entry } from './journal.ts';

type Taken = Extract<Entry, { kind: 'taken' }>;

/** The messages of one flow that the other end received, in order of arrival. */
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

  /** Describes the fault, if there is one. */
  take({ number, redelivered }: Taken): string | undefined {
    if (this.#had.has(number)) {
      return redelivered ? undefined : `${this.#flow}: ${number} came again, without its mark`;
    }
    const before = this.#last;
    this.#had.add(number);
    this.#last = Math.max(before, number);
    // New messages must arrive in order. Repeated ones need not: the sender may not know which of them were lost.
    return number < before ? `${this.#flow}: ${number} came after ${before}` : undefined;
  }

  missing(upTo: number): number[] {
    return Array.from({ length: upTo }, (_, index) => index + 1).filter((number) => !this.#had.has(number));
  }
}
