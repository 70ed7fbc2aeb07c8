import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import type { Inventories } from '../application/ports.ts';
import type { Cluster } from '../domain/cluster.ts';
import { isCrsError } from '../domain/crs-error.ts';
import type { ResourceSetInventory } from '../domain/inventory.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import { aCluster, aSet } from './a-set.ts';

/** Nothing is stored at first. */
export interface InventoriesUnderTest {
  readonly inventories: Inventories;
  /** Namespace of the sets and clusters. */
  readonly namespace: string;
  /** Corrupts the stored inventory. */
  readonly spoil: (set: ResourceSet, cluster: Cluster) => Promise<void>;
}

const CLUSTER_WIDE = { apiVersion: 'v1', kind: 'Namespace', name: 'größe' };
const IN_NAMESPACE = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' };

/** The contract of the inventory store. */
export function inventoriesContract(name: string, open: (signal: AbortSignal) => Promise<InventoriesUnderTest>): void {
  const of = (...items: ResourceSetInventory['items']): ResourceSetInventory => ({ items });

  describe(`inventories: ${name}`, { timeout: PATIENCE_MS }, () => {
    it('are as they were last written, for each set and each cluster', async (t) => {
      const { inventories, namespace } = await open(t.signal);
      const [one, two] = [aSet({ namespace, name: 'one' }), aSet({ namespace, name: 'two' })];
      const [a, b] = [aCluster({ namespace }), aCluster({ namespace, name: 'b' })];
      assert.deepEqual(await inventories.read(one, a, t.signal), of());
      await inventories.write(one, a, of(CLUSTER_WIDE), t.signal);
      await inventories.write(two, a, of(IN_NAMESPACE), t.signal);
      await inventories.write(one, b, of(), t.signal);
      await inventories.write(one, a, of(CLUSTER_WIDE, IN_NAMESPACE), t.signal);
      assert.deepEqual(await inventories.read(one, a, t.signal), of(CLUSTER_WIDE, IN_NAMESPACE));
      assert.deepEqual(await inventories.read(two, a, t.signal), of(IN_NAMESPACE));
      assert.deepEqual(await inventories.read(one, b, t.signal), of());
    });

    it('are gone once they are deleted, and what is not there can be deleted', async (t) => {
      const { inventories, namespace } = await open(t.signal);
      const [set, cluster] = [aSet({ namespace }), aCluster({ namespace })];
      await inventories.delete(set, cluster.name, t.signal);
      await inventories.write(set, cluster, of(IN_NAMESPACE), t.signal);
      await inventories.delete(set, cluster.name, t.signal);
      assert.deepEqual(await inventories.read(set, cluster, t.signal), of());
    });

    it('are never taken for empty when they cannot be read', async (t) => {
      const { inventories, namespace, spoil } = await open(t.signal);
      const [set, cluster] = [aSet({ namespace }), aCluster({ namespace })];
      await inventories.write(set, cluster, of(IN_NAMESPACE), t.signal);
      await spoil(set, cluster);
      await assert.rejects(inventories.read(set, cluster, t.signal), (error) =>
        isCrsError(error, 'INVENTORY_UNREADABLE'),
      );
    });
  });
}
