import type { InventoryStore, Kept } from '../application/ports.ts';
import type { Inventory } from '../domain/inventory.ts';
import { MemoryRecords, type SharedRecords } from './memory-records.ts';

export class MemoryInventories implements InventoryStore {
  readonly records: MemoryRecords<Inventory>;
  /** Called before each is written; a throw is the end of the agent. */
  beforeWrite: () => void = () => {};
  saves = 0;

  constructor(shared: SharedRecords<Inventory> = new Map()) {
    this.records = new MemoryRecords(shared);
  }

  async all(signal: AbortSignal): Promise<Kept<Inventory>> {
    signal.throwIfAborted();
    return { records: this.records.all(), torn: [] };
  }

  async save(inventory: Inventory, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.beforeWrite();
    this.saves += 1;
    this.records.save(inventory.deployment, inventory);
  }
}
