import type { KubeClient } from '#kit/kube';
import { unlessAborted } from '#kit/std';
import type { InventoryStore, StoredRecords } from '../application/ports.ts';
import type { OtherInventories } from '../domain/held-by-others.ts';
import type { ApplySetInventory, InventoryEntry } from '../domain/inventory.ts';
import { ChunkedSecrets, type FoundRecord } from './chunked-secrets.ts';
import { storedRecords } from './stored-records.ts';

interface PlacedInventories {
  readonly records: readonly (ApplySetInventory & { readonly namespace: string })[];
  readonly corrupt: readonly { readonly deployment: string; readonly namespace: string }[];
}

const READ_MS = 60_000;

export class KubeInventories implements InventoryStore {
  readonly #secrets: ChunkedSecrets;
  readonly #namespace: string;
  #reading: Promise<PlacedInventories> | undefined;
  #next: Promise<PlacedInventories> | undefined;

  constructor(client: KubeClient, namespace: string) {
    this.#namespace = namespace;
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

  async others(deployment: string, signal: AbortSignal): Promise<OtherInventories> {
    const { records, corrupt } = await unlessAborted(this.#readNow(), signal);
    const isOther = (its: { readonly deployment: string; readonly namespace: string }): boolean =>
      its.deployment !== deployment || its.namespace !== this.#namespace;
    return { records: records.filter(isOther), corrupt: corrupt.filter(isOther).map((its) => its.deployment) };
  }

  /** The read begins after the call. Calls that arrive during a read share the next one. */
  #readNow(): Promise<PlacedInventories> {
    if (this.#reading === undefined) return (this.#reading = this.#read());
    this.#next ??= this.#reading.then(
      () => this.#startNext(),
      () => this.#startNext(),
    );
    return this.#next;
  }

  #startNext(): Promise<PlacedInventories> {
    this.#next = undefined;
    return (this.#reading = this.#read());
  }

  async #read(): Promise<PlacedInventories> {
    try {
      return await placed(await this.#secrets.everywhere(AbortSignal.timeout(READ_MS)));
    } finally {
      this.#reading = undefined;
    }
  }
}

async function placed(found: readonly (FoundRecord & { readonly namespace: string })[]): Promise<PlacedInventories> {
  const records: PlacedInventories['records'][number][] = [];
  const corrupt: PlacedInventories['corrupt'][number][] = [];
  for (const record of found) {
    const { id: deployment, namespace } = record;
    const inventory = await inventoryIn(record).catch(() => undefined);
    if (inventory === undefined) corrupt.push({ deployment, namespace });
    else records.push({ ...inventory, deployment, namespace });
  }
  return { records, corrupt };
}

/** Anyone with rights in a namespace may have put the record there. */
async function inventoryIn(record: FoundRecord): Promise<ApplySetInventory | undefined> {
  const read = JSON.parse(await record.content()) as Partial<ApplySetInventory> | null;
  if (!Array.isArray(read?.entries) || !read.entries.every(isEntry)) return undefined;
  return read as ApplySetInventory;
}

function isEntry(its: unknown): boolean {
  const { key } = (its ?? {}) as Partial<InventoryEntry>;
  return typeof key?.apiVersion === 'string' && typeof key.kind === 'string' && typeof key.name === 'string';
}
