import { canonicalJson } from '#kit/std';
import type { Inventory, InventoryEntry } from '../domain/inventory.ts';
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
  readonly inventories: InventoryStore;
  /** It is in the cluster now. */
  readonly onSaved?: (inventory: Inventory) => void;
}

/** The inventory of one deployment while a delivery is carried out. What did not change is not written. */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #order: LedgerOrder;
  readonly #entries: Map<string, InventoryEntry>;
  #kept: Inventory | undefined;

  constructor(deps: LedgerDeps, kept: Inventory | undefined, order: LedgerOrder) {
    this.#deps = deps;
    this.#order = order;
    this.#kept = kept;
    this.#entries = new Map(kept?.entries.map((entry) => [identityOf(entry.key), entry]));
  }

  /** As it is in the cluster. */
  get kept(): Inventory | undefined {
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

  async save(isWhole: boolean, signal: AbortSignal): Promise<void> {
    const { deployment, revision, hash, isRepair = false } = this.#order;
    const held = (isWhole || isRepair) && hash !== undefined ? { held: { revision, hash } } : {};
    const seen = hash === undefined ? { revision } : { revision, hash };
    const entries = this.entries.toSorted((one, two) => (identityOf(one.key) < identityOf(two.key) ? -1 : 1));
    const next: Inventory = { deployment, seen, entries, ...held };
    if (this.#kept !== undefined && textOf(next) === textOf(this.#kept)) return;
    await this.#deps.inventories.save(next, signal);
    this.#kept = next;
    this.#deps.onSaved?.(next);
  }
}

function textOf(inventory: Inventory): string {
  return canonicalJson(JSON.parse(JSON.stringify(inventory)));
}
