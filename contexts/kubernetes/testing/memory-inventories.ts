import type { InventoryStore, StoredRecords } from '../application/ports.ts';
import type { OtherInventories } from '../domain/held-by-others.ts';
import type { ApplySetInventory } from '../domain/inventory.ts';
import { MemoryRecords, type SharedRecords } from './memory-records.ts';

export class MemoryInventories implements InventoryStore {
  /** Inventories that agents keep in other namespaces. */
  readonly elsewhere: ApplySetInventory[] = [];
  readonly records: MemoryRecords<ApplySetInventory>;
  /** Called before each write; a throw simulates the end of the agent. */
  beforeWrite: () => void = () => {};
  saves = 0;

  constructor(shared: SharedRecords<ApplySetInventory> = new Map()) {
    this.records = new MemoryRecords(shared);
  }

  async all(signal: AbortSignal): Promise<StoredRecords<ApplySetInventory>> {
    signal.throwIfAborted();
    return { records: this.records.all(), corrupt: [] };
  }

  async others(deployment: string, signal: AbortSignal): Promise<OtherInventories> {
    signal.throwIfAborted();
    const here = [...this.records.shared.values()].map(({ value }) => structuredClone(value));
    return { records: [...here.filter((its) => its.deployment !== deployment), ...this.elsewhere], corrupt: [] };
  }

  async save(inventory: ApplySetInventory, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.beforeWrite();
    this.saves += 1;
    this.records.save(inventory.deployment, inventory);
  }
}
