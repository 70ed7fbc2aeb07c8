import type { InventoryStore } from '../application/ports.ts';
import { type Inventory, type InventoryChunk, joinInventory, splitInventory } from '../domain/inventory.ts';

/** Inventories as a cluster keeps them: in small chunks, each written by itself. */
export class MemoryInventories implements InventoryStore {
  readonly #chunks = new Map<string, InventoryChunk>();
  /** Called before each chunk is written or deleted; a throw is the end of the agent. */
  beforeWrite: () => void = () => {};
  saves = 0;

  async all(signal: AbortSignal): Promise<readonly Inventory[]> {
    signal.throwIfAborted();
    const byDeployment = Map.groupBy(this.#chunks.values(), ({ deployment }) => deployment);
    return [...byDeployment.values()].flatMap((chunks) => {
      const joined = joinInventory(chunks);
      return joined.kind === 'none' ? [] : [joined.inventory];
    });
  }

  async save(inventory: Inventory, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.saves += 1;
    const chunks = new Map(splitInventory(inventory, 600).map((chunk) => [nameOf(chunk), chunk]));
    for (const [name, chunk] of chunks) {
      this.beforeWrite();
      this.#chunks.set(name, chunk);
    }
    // A write that did not come to its end may have left chunks of the very names that were written now.
    for (const [name, { deployment }] of this.#chunks) {
      if (deployment !== inventory.deployment || chunks.has(name)) continue;
      this.beforeWrite();
      this.#chunks.delete(name);
    }
  }
}

function nameOf({ deployment, generation, digest, index }: InventoryChunk): string {
  return [deployment, generation, digest, index].join(' ');
}
