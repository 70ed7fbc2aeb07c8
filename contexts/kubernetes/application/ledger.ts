import { canonicalJson } from '#kit/std';
import type { Inventory, InventoryEntry } from '../domain/inventory.ts';
import { identityOf, type ObjectKey } from '../domain/kube-object.ts';
import type { InventoryStore } from './ports.ts';
import type { Delivery } from './survey.ts';

/** The inventory of one deployment while a delivery is carried out. What did not change is not written. */
export class Ledger {
  readonly #inventories: InventoryStore;
  readonly #delivery: Delivery;
  readonly #entries: Map<string, InventoryEntry>;
  #kept: Inventory;

  constructor(inventories: InventoryStore, kept: Inventory, delivery: Delivery) {
    this.#inventories = inventories;
    this.#delivery = delivery;
    this.#kept = kept;
    this.#entries = new Map(kept.entries.map((entry) => [identityOf(entry.key), entry]));
  }

  get entries(): readonly InventoryEntry[] {
    return [...this.#entries.values()];
  }

  set(entry: InventoryEntry): void {
    this.#entries.set(identityOf(entry.key), entry);
  }

  /** About to be made, or taken over. An entry that has a uid already says more. */
  intend(entry: InventoryEntry): void {
    if (!this.#entries.has(identityOf(entry.key))) this.set(entry);
  }

  forget(key: ObjectKey): void {
    this.#entries.delete(identityOf(key));
  }

  async save(isWhole: boolean, signal: AbortSignal): Promise<void> {
    const { deployment, revision, hash } = this.#delivery;
    const held = isWhole && hash !== undefined ? { held: { revision, hash } } : {};
    const seen = hash === undefined ? { revision } : { revision, hash };
    const { generation } = this.#kept;
    const entries = this.entries.toSorted((one, two) => (identityOf(one.key) < identityOf(two.key) ? -1 : 1));
    const next: Inventory = { deployment, generation, seen, entries, ...held };
    if (generation > 0 && textOf(next) === textOf(this.#kept)) return;
    const written = { ...next, generation: generation + 1 };
    await this.#inventories.save(written, signal);
    this.#kept = written;
  }
}

function textOf(inventory: Inventory): string {
  return canonicalJson(JSON.parse(JSON.stringify(inventory)));
}
