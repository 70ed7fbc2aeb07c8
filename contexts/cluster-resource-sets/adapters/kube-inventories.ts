import { hash } from 'node:crypto';
import { CORE, isKubeError, type KubeClient, type KubeObject, type ObjectRef } from '#kit/kube';
import { isJsonObject } from '#kit/std';
import type { Inventories } from '../application/ports.ts';
import { ownerFor } from '../domain/binding.ts';
import type { Cluster } from '../domain/cluster.ts';
import { CrsError } from '../domain/crs-error.ts';
import type { InventoryItem, ResourceSetInventory } from '../domain/inventory.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { FIELD_MANAGER } from './management-write.ts';

const LABEL = 'crs.fleetshift.io/inventory';
const KEY = 'items';

interface InventoryObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * One ConfigMap for each set and cluster, in the namespace of the set and deleted with it. Both names together may be
 * too long, so they are hashed.
 */
export class KubeInventories implements Inventories {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async read(set: ResourceSet, { name }: Cluster, signal: AbortSignal): Promise<ResourceSetInventory> {
    try {
      const { data } = await this.#client.get<InventoryObject>(refOf(set, name), signal);
      return { items: parseItems(data?.[KEY] ?? '[]', `${set.name} in ${name}`) };
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND')) return { items: [] };
      throw error;
    }
  }

  async write(
    set: ResourceSet,
    { name }: Cluster,
    { items }: ResourceSetInventory,
    signal: AbortSignal,
  ): Promise<void> {
    const ref = refOf(set, name);
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: ref.name,
        namespace: set.namespace,
        labels: { [LABEL]: 'true' },
        annotations: { [`${LABEL}-set`]: set.name, [`${LABEL}-cluster`]: name },
        ownerReferences: [ownerFor(set)],
      },
      data: { [KEY]: JSON.stringify(items) },
    };
    await this.#client.apply(ref, object, { fieldManager: FIELD_MANAGER, force: true }, signal);
  }

  async delete(set: ResourceSet, clusterName: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.delete(refOf(set, clusterName), {}, signal);
    } catch (error) {
      if (!isKubeError(error, 'NOT_FOUND')) throw error;
    }
  }
}

function refOf({ namespace, name }: ResourceSet, clusterName: string): ObjectRef {
  const short = hash('sha256', JSON.stringify([name, clusterName]), 'hex').slice(0, 16);
  return { resource: CORE.configMaps, namespace, name: `crs-inventory-${short}` };
}

/** An unreadable inventory must not count as empty: its objects would silently never be pruned. */
function parseItems(text: string, whose: string): readonly InventoryItem[] {
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch (cause) {
    throw new CrsError('INVENTORY_UNREADABLE', `read the inventory of ${whose}`, { cause });
  }
  if (Array.isArray(items) && items.every(isItem)) return items;
  throw new CrsError('INVENTORY_UNREADABLE', `read the inventory of ${whose}: it is not a list of objects`);
}

function isItem(item: unknown): item is InventoryItem {
  if (!isJsonObject(item)) return false;
  const { apiVersion, kind, name, namespace = '', uid = '' } = item;
  return [apiVersion, kind, name, namespace, uid].every((field) => typeof field === 'string');
}
