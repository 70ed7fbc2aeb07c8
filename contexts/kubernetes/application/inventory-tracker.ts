import { canonicalJson } from '#kit/std';
import type { OrderOrigin } from '#protocol/delivery';
import type { ApplySetInventory, InventoryEntry } from '../domain/inventory.ts';
import { identityOf, type ObjectKey } from '../domain/kube-object.ts';
import type { InventoryStore } from './ports.ts';

/** The fields of an order that the inventory records. */
export interface TrackedOrder {
  readonly deployment: string;
  readonly revision: number;
  readonly hash: string | undefined;
  readonly origin?: OrderOrigin | undefined;
  /** A repair of a revision that was already applied completely. */
  readonly isRepair?: boolean;
}

export interface InventoryTrackerDeps {
  readonly inventories: Pick<InventoryStore, 'save'>;
  /** Schedules a later write. Without it everything is written at once. */
  readonly defer?: (inventory: ApplySetInventory) => void;
}

/** The inventory of one deployment during a delivery. It is written only if it changed. */
export class InventoryTracker {
  readonly #deps: InventoryTrackerDeps;
  readonly #order: TrackedOrder;
  readonly #entries: Map<string, InventoryEntry>;
  #stored: ApplySetInventory | undefined;

  constructor(deps: InventoryTrackerDeps, stored: ApplySetInventory | undefined, order: TrackedOrder) {
    this.#deps = deps;
    this.#order = order;
    this.#stored = stored;
    this.#entries = new Map(stored?.entries.map((entry) => [identityOf(entry.key), entry]));
  }

  /** The inventory as it is in the cluster, or soon will be. */
  get stored(): ApplySetInventory | undefined {
    return this.#stored;
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

  /**
   * Records an object that is about to be created or adopted. Returns false if it is already known, so that no write is
   * needed before the object is touched.
   */
  intend(entry: InventoryEntry): boolean {
    if (this.#entries.has(identityOf(entry.key))) return false;
    this.set(entry);
    return true;
  }

  forget(key: ObjectKey): void {
    this.#entries.delete(identityOf(key));
  }

  /**
   * DECISION: the final "everything applied" is written later if the set of objects is the same as in the cluster's
   * inventory. An agent that stops before that write finds the order not done, and carries it out again. No caller
   * waits for the write. (ADR-0031)
   */
  async save(isWhole: boolean, signal: AbortSignal): Promise<void> {
    const { deployment, revision, hash, origin, isRepair = false } = this.#order;
    const { inventories, defer } = this.#deps;
    const held = (isWhole || isRepair) && hash !== undefined ? { held: { revision, hash } } : {};
    const seen = { revision, ...(hash !== undefined && { hash }), ...(origin !== undefined && { origin }) };
    const entries = this.entries.toSorted((one, two) => (identityOf(one.key) < identityOf(two.key) ? -1 : 1));
    const next: ApplySetInventory = { deployment, seen, entries, ...held };
    if (this.#stored !== undefined && isSame(next, this.#stored)) return;
    const mayWait = isWhole && !isRepair && hash !== undefined && hasSameObjects(next, this.#stored);
    if (defer !== undefined && mayWait) defer(next);
    else await inventories.save(next, signal);
    this.#stored = next;
  }
}

/** Both entry lists are sorted. */
function hasSameObjects(next: ApplySetInventory, stored: ApplySetInventory | undefined): boolean {
  const isSame = ({ key }: InventoryEntry, index: number): boolean => {
    const other = stored?.entries[index];
    return other !== undefined && identityOf(other.key) === identityOf(key);
  };
  return stored !== undefined && stored.entries.length === next.entries.length && next.entries.every(isSame);
}

/** Inventories that differ mostly differ in the order they belong to, so that is compared first. */
function isSame(one: ApplySetInventory, two: ApplySetInventory): boolean {
  const isOfOne = one.seen.revision === two.seen.revision && one.seen.hash === two.seen.hash;
  return isOfOne && textOf(one) === textOf(two);
}

function textOf(inventory: ApplySetInventory): string {
  return canonicalJson(JSON.parse(JSON.stringify(inventory)));
}
