import { canonicalJson } from '#kit/std';
import type { ApplySetInventory, InventoryEntry } from '../domain/inventory.ts';
import { identityOf, type ObjectKey } from '../domain/kube-object.ts';
import type { InventoryStore } from './ports.ts';

/** What an order is about, for the inventory. */
export interface LedgerOrder {
  readonly deployment: string;
  readonly revision: number;
  readonly hash: string | undefined;
  /** Of what was applied whole already. */
  readonly isRepair?: boolean;
}

export interface LedgerDeps {
  readonly inventories: Pick<InventoryStore, 'save'>;
  /** Sees to it that it is written soon; without it everything is written at once. */
  readonly defer?: (inventory: ApplySetInventory) => void;
}

/** The inventory of one deployment while a delivery is carried out. What did not change is not written. */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #order: LedgerOrder;
  readonly #entries: Map<string, InventoryEntry>;
  #kept: ApplySetInventory | undefined;

  constructor(deps: LedgerDeps, kept: ApplySetInventory | undefined, order: LedgerOrder) {
    this.#deps = deps;
    this.#order = order;
    this.#kept = kept;
    this.#entries = new Map(kept?.entries.map((entry) => [identityOf(entry.key), entry]));
  }

  /** As it is in the cluster, or soon will be. */
  get kept(): ApplySetInventory | undefined {
    return this.#kept;
  }

  get entries(): readonly InventoryEntry[] {
    return [...this.#entries.values()];
  }

  find(key: ObjectKey): InventoryEntry | undefined {
    return this.#entries.get(identityOf(key));
  }

  set(entry: InventoryEntry): void {
    this.#entries.set(identityOf(entry.key), entry);
  }

  /** About to be made, or taken over; false when it is known already, and so need not be written before it is touched. */
  intend(entry: InventoryEntry): boolean {
    if (this.#entries.has(identityOf(entry.key))) return false;
    this.set(entry);
    return true;
  }

  forget(key: ObjectKey): void {
    this.#entries.delete(identityOf(key));
  }

  /**
   * DECISION: that all was applied, with no object more and none less than the cluster knows of, is written behind: an agent that
   * ends before it is finds the order not done, and carries it out once more. Nobody waits for it. (ADR-0031)
   */
  async save(isWhole: boolean, signal: AbortSignal): Promise<void> {
    const { deployment, revision, hash, isRepair = false } = this.#order;
    const { inventories, defer } = this.#deps;
    const held = (isWhole || isRepair) && hash !== undefined ? { held: { revision, hash } } : {};
    const seen = hash === undefined ? { revision } : { revision, hash };
    const entries = this.entries.toSorted((one, two) => (identityOf(one.key) < identityOf(two.key) ? -1 : 1));
    const next: ApplySetInventory = { deployment, seen, entries, ...held };
    if (this.#kept !== undefined && isSame(next, this.#kept)) return;
    const mayWait = isWhole && !isRepair && hash !== undefined && hasSameObjects(next, this.#kept);
    if (defer !== undefined && mayWait) defer(next);
    else await inventories.save(next, signal);
    this.#kept = next;
  }
}

/** Both are in order. */
function hasSameObjects(next: ApplySetInventory, kept: ApplySetInventory | undefined): boolean {
  const isSame = ({ key }: InventoryEntry, index: number): boolean => {
    const other = kept?.entries[index];
    return other !== undefined && identityOf(other.key) === identityOf(key);
  };
  return kept !== undefined && kept.entries.length === next.entries.length && next.entries.every(isSame);
}

/** What differs mostly differs in the order that it is of. */
function isSame(one: ApplySetInventory, two: ApplySetInventory): boolean {
  const isOfOne = one.seen.revision === two.seen.revision && one.seen.hash === two.seen.hash;
  return isOfOne && textOf(one) === textOf(two);
}

function textOf(inventory: ApplySetInventory): string {
  return canonicalJson(JSON.parse(JSON.stringify(inventory)));
}
