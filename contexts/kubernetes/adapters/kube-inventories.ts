import { CORE, isKubeError, type KubeClient, type KubeObject, listAll } from '#kit/kube';
import { contentHash } from '#kit/std';
import type { InventoryStore } from '../application/ports.ts';
import { type Inventory, type InventoryChunk, joinInventory, splitInventory } from '../domain/inventory.ts';
import { KubernetesError } from '../domain/kubernetes-error.ts';

interface ChunkSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const LABEL = 'fleetshift.io/inventory';

/**
 * Inventories as Secrets in a namespace of the agent: hashes of what was sent are for nobody who may not read Secrets, since
 * a short secret could be guessed from its hash.
 */
export class KubeInventories implements InventoryStore {
  readonly #client: KubeClient;
  readonly #ref: { readonly resource: typeof CORE.secrets; readonly namespace: string };

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#ref = { resource: CORE.secrets, namespace };
  }

  async all(signal: AbortSignal): Promise<readonly Inventory[]> {
    const { items } = await listAll<ChunkSecret>(this.#client, this.#ref, { labelSelector: LABEL }, signal);
    const byDeployment = Map.groupBy(items.map(readChunk), ({ deployment }) => deployment);
    return [...byDeployment.values()].flatMap((chunks) => {
      const joined = joinInventory(chunks);
      return joined.kind === 'none' ? [] : [joined.inventory];
    });
  }

  async save(inventory: Inventory, signal: AbortSignal): Promise<void> {
    const chunks = new Map(splitInventory(inventory).map((chunk) => [nameOf(chunk), chunk]));
    for (const [name, chunk] of chunks) await this.#create(name, chunk, signal);
    const labelSelector = `${LABEL}=${inventory.deployment}`;
    const { items } = await listAll(this.#client, this.#ref, { labelSelector }, signal);
    for (const { metadata } of items) {
      const name = metadata.name ?? '';
      if (!chunks.has(name)) await this.#delete(name, signal);
    }
  }

  /** The name has the digest, so that one that is there is the same: of a write that did not come to its end. */
  async #create(name: string, { payload, ...facts }: InventoryChunk, signal: AbortSignal): Promise<void> {
    const metadata = { name, labels: { [LABEL]: facts.deployment } };
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: { facts: JSON.stringify(facts), payload },
    };
    try {
      await this.#client.create(this.#ref, secret, {}, signal);
    } catch (error) {
      if (!isKubeError(error, 'ALREADY_EXISTS')) throw error;
    }
  }

  async #delete(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.delete({ ...this.#ref, name }, {}, signal);
    } catch (error) {
      if (!isKubeError(error, 'NOT_FOUND')) throw error;
    }
  }
}

function nameOf({ deployment, generation, index, digest }: InventoryChunk): string {
  const short = contentHash([deployment, digest]).slice('sha256:'.length).slice(0, 16);
  return `fleetshift-inventory-${short}-${generation}-${index}`;
}

function readChunk({ metadata, data = {} }: ChunkSecret): InventoryChunk {
  try {
    const [facts, payload] = [data['facts'], data['payload']].map((text) =>
      Buffer.from(text ?? '', 'base64').toString(),
    );
    // What is not as it was written does not fit its digest.
    return { ...(JSON.parse(facts ?? '') as Omit<InventoryChunk, 'payload'>), payload: payload ?? '' };
  } catch (error) {
    const what = `read the part ${metadata.name} of an inventory`;
    throw new KubernetesError('INVENTORY_UNREADABLE', `${what}: it is not what was written`, { cause: error });
  }
}
