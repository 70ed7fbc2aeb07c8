import { type ChainedEntry, type ChainPoint, hashOf } from './audit-chain.ts';

export const CHAIN_FAULTS = ['changed', 'missing', 'swapped', 'rewritten', 'truncated', 'forged'] as const;
export type ChainFaultKind = (typeof CHAIN_FAULTS)[number];

/** Something that is not as it was written down. */
export interface ChainFault {
  readonly kind: ChainFaultKind;
  readonly position: number;
  /** `missing`: the last that is missing. `swapped`: where the other one is. */
  readonly other?: number;
}

/** Enough to see what happened; a chain that was rewritten has as many as it has entries. */
const MAX_FAULTS = 100;

/**
 * Follows the chain from a point that is taken for true, entry by entry. One fault does not hide the next: after it, what
 * is stored is taken for true again.
 */
export class ChainVerifier {
  readonly #faults: ChainFault[] = [];
  readonly #changed: ChainedEntry[] = [];
  #last: ChainPoint;
  #lastIsFaulty = false;
  #checked = 0;

  constructor(from: ChainPoint) {
    this.#last = from;
  }

  get checked(): number {
    return this.#checked;
  }

  /** In order of their positions. */
  next(chained: ChainedEntry): void {
    const { position, previousHash, hash, entry } = chained;
    const isNext = position === this.#last.position + 1;
    if (!isNext) this.#add({ kind: 'missing', position: this.#last.position + 1, other: position - 1 });
    const isSound = hashOf(position, previousHash, entry) === hash;
    // It is sound in itself, and chained to another than the one before it: then that one was written anew.
    if (isNext && isSound && !this.#lastIsFaulty && previousHash !== this.#last.hash) {
      this.#add({ kind: 'changed', position: this.#last.position });
    }
    if (!isSound && this.#changed.length < MAX_FAULTS) this.#changed.push(chained);
    this.#last = { position, hash };
    this.#lastIsFaulty = !isSound;
    this.#checked += 1;
  }

  /** What the chain should come to. */
  end(head: ChainPoint): void {
    if (this.#last.position < head.position) {
      this.#add({ kind: 'missing', position: this.#last.position + 1, other: head.position });
    } else if (!this.#lastIsFaulty && this.#last.hash !== head.hash) {
      this.#add({ kind: 'changed', position: head.position });
    }
  }

  /** In order of their positions. */
  faults(): ChainFault[] {
    return [...this.#faults, ...namedChanges(this.#changed)]
      .sort((a, b) => a.position - b.position)
      .slice(0, MAX_FAULTS);
  }

  #add(fault: ChainFault): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(fault);
  }
}

/** Two that were changed may be each other. */
function namedChanges(changed: readonly ChainedEntry[]): ChainFault[] {
  const left = [...changed];
  const faults: ChainFault[] = [];
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const found = left.findIndex((other) => one !== undefined && isSwap(one, other));
    const [other] = found < 0 ? [] : left.splice(found, 1);
    faults.push(
      other === undefined
        ? { kind: 'changed', position: one.position }
        : { kind: 'swapped', position: one.position, other: other.position },
    );
  }
  return faults;
}

function isSwap(one: ChainedEntry, other: ChainedEntry): boolean {
  return fits(one, other) && fits(other, one);
}

/** Whether this entry would be sound at the place of the other, be it that the hashes went with it or stayed. */
function fits({ entry, previousHash, hash }: ChainedEntry, place: ChainedEntry): boolean {
  return (
    hashOf(place.position, previousHash, entry) === hash ||
    hashOf(place.position, place.previousHash, entry) === place.hash
  );
}
