import { type ChainedEntry, type ChainPoint, hashOf } from './audit-chain.ts';

export const CHAIN_FAULTS = ['changed', 'missing', 'swapped', 'rewritten', 'truncated', 'forged'] as const;
export type ChainFaultKind = (typeof CHAIN_FAULTS)[number];

/** A deviation from what was written. */
export interface ChainFault {
  readonly kind: ChainFaultKind;
  readonly position: number;
  /** `missing`: the last missing position. `swapped`: the position of the other entry. */
  readonly other?: number;
}

/** Enough to see what happened; a rewritten chain has as many faults as entries. */
const MAX_FAULTS = 100;

/**
 * Follows the chain from a trusted point, entry by entry. One fault does not hide the next: after it the stored hash is trusted
 * again.
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

  /** Call in order of positions. */
  next(chained: ChainedEntry): void {
    const { position, previousHash, hash, entry } = chained;
    const isNext = position === this.#last.position + 1;
    if (!isNext) this.#add({ kind: 'missing', position: this.#last.position + 1, other: position - 1 });
    const isSound = hashOf(position, previousHash, entry) === hash;
    // The entry itself is valid but chained to a different hash: then the previous entry was rewritten.
    if (isNext && isSound && !this.#lastIsFaulty && previousHash !== this.#last.hash) {
      this.#add({ kind: 'changed', position: this.#last.position });
    }
    if (!isSound && this.#changed.length < MAX_FAULTS) this.#changed.push(chained);
    this.#last = { position, hash };
    this.#lastIsFaulty = !isSound;
    this.#checked += 1;
  }

  /** Compares the end with the stored head. */
  end(head: ChainPoint): void {
    if (this.#last.position < head.position) {
      this.#add({ kind: 'missing', position: this.#last.position + 1, other: head.position });
    } else if (!this.#lastIsFaulty && this.#last.hash !== head.hash) {
      this.#add({ kind: 'changed', position: head.position });
    }
  }

  /** In order of positions. */
  faults(): ChainFault[] {
    return [...this.#faults, ...namedChanges(this.#changed)]
      .sort((a, b) => a.position - b.position)
      .slice(0, MAX_FAULTS);
  }

  #add(fault: ChainFault): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(fault);
  }
}

/** Two changed entries may have been swapped with each other. */
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

/** Whether this entry would be valid at the place of the other, with its own hashes or with those of the place. */
function fits({ entry, previousHash, hash }: ChainedEntry, place: ChainedEntry): boolean {
  return (
    hashOf(place.position, previousHash, entry) === hash ||
    hashOf(place.position, place.previousHash, entry) === place.hash
  );
}
