import type { KubeClient } from '#kit/kube';
import type { InventoryStore, StoredRecords } from '../application/ports.ts';
import type { ApplySetInventory } from '../domain/inventory.ts';
import { ChunkedSecrets } from './chunked-secrets.ts';
import { storedRecords } from './stored-records.ts';

export class KubeInventories implements InventoryStore {
  readonly #secrets: ChunkedSecrets;

  constructor(client: KubeClient, namespace: string) {
    this.#secrets = new ChunkedSecrets({ client, namespace, what: 'inventory' });
  }

  async all(signal: AbortSignal): Promise<StoredRecords<ApplySetInventory>> {
    // The digest guarantees that this is what was written, and an inventory was written.
    return await storedRecords(
      await this.#secrets.all(signal),
      async (found) => JSON.parse(await found.content()) as ApplySetInventory,
    );
  }

  async save(inventory: ApplySetInventory, signal: AbortSignal): Promise<void> {
    await this.#secrets.save({ id: inventory.deployment, about: '', content: JSON.stringify(inventory) }, signal);
  }
}
