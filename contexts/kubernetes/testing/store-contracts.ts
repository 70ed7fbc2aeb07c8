import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import type { InventoryStore, OrderStore } from '../application/ports.ts';
import type { ApplySetInventory } from '../domain/inventory.ts';
import { acceptedOrder } from '../domain/order.ts';
import { deploymentUid, map, order } from './agent-scene.ts';

/** Each call returns the stores of another agent at the same cluster. Nothing is stored at first. */
export type OpenStores = (signal: AbortSignal) => Promise<() => { inventories: InventoryStore; orders: OrderStore }>;

const ONE = deploymentUid(1);
const TWO = deploymentUid(2);

function inventory(revision: number, deployment = ONE): ApplySetInventory {
  const entries = [
    { key: { apiVersion: 'v1', kind: 'ConfigMap', name: 'größe' }, origin: 'created', sent: 'h' },
  ] as const;
  return { deployment, seen: { revision, hash: 'h' }, held: { revision, hash: 'h' }, entries };
}

/** The contract of the stores of orders and inventories. */
export function storeContracts(name: string, open: OpenStores): void {
  describe(`inventories and orders, ${name}`, { timeout: PATIENCE_MS }, () => {
    it('are found by whoever comes next, as they were last saved, each for itself', async (t) => {
      const agent = await open(t.signal);
      const { inventories } = agent();
      assert.deepEqual(await inventories.all(t.signal), { records: [], corrupt: [] });
      await inventories.save(inventory(1), t.signal);
      await inventories.save(inventory(1, TWO), t.signal);
      await inventories.save(inventory(2), t.signal);
      const { records } = await agent().inventories.all(t.signal);
      assert.deepEqual(records.toSorted(byDeployment), [inventory(2), inventory(1, TWO)]);
    });

    it('are not overwritten by one who has not read what somebody else wrote', async (t) => {
      const agent = await open(t.signal);
      const [old, next] = [agent(), agent()];
      await old.inventories.save(inventory(1), t.signal);
      await old.orders.save(acceptedOrder(order(1, [map('a')])), t.signal);
      await next.inventories.all(t.signal);
      await next.orders.all(t.signal);
      await next.inventories.save(inventory(2), t.signal);
      await next.orders.save(acceptedOrder(order(2, [map('b')])), t.signal);
      await assert.rejects(old.inventories.save(inventory(3), t.signal), { code: 'RECORD_CHANGED' });
      await assert.rejects(old.orders.save(acceptedOrder(order(3, [])), t.signal), { code: 'RECORD_CHANGED' });
      await assert.rejects(old.orders.remove(ONE, t.signal), { code: 'RECORD_CHANGED' });
      await assert.rejects(agent().inventories.save(inventory(9), t.signal), { code: 'RECORD_CHANGED' });
      await old.inventories.all(t.signal);
      await old.inventories.save(inventory(3), t.signal);
    });

    it('tell the facts of all orders, and the documents of one', async (t) => {
      const agent = await open(t.signal);
      const its = acceptedOrder(order(4, [map('a', { text: 'ü'.repeat(100) })], { driftPolicy: 'repair' }));
      await agent().orders.save(its, t.signal);
      const { orders } = agent();
      const { documents: _, ...facts } = its;
      const plain = JSON.parse(JSON.stringify(facts)) as object;
      assert.deepEqual(JSON.parse(JSON.stringify((await orders.all(t.signal)).records)), [plain]);
      const read = await orders.read(ONE, t.signal);
      assert.deepEqual(JSON.parse(JSON.stringify(read)), { ...plain, documents: its.documents });
      assert.equal(await orders.read(TWO, t.signal), undefined);
    });

    it('are gone once they are removed, and what is not there can be removed', async (t) => {
      const agent = await open(t.signal);
      const { orders } = agent();
      await orders.remove(ONE, t.signal);
      await orders.save(acceptedOrder(order(1, [map('a')])), t.signal);
      await orders.remove(ONE, t.signal);
      await orders.remove(ONE, t.signal);
      assert.deepEqual((await agent().orders.all(t.signal)).records, []);
      await orders.save(acceptedOrder(order(2, [])), t.signal);
      assert.equal((await agent().orders.read(ONE, t.signal))?.revision, 2);
    });
  });
}

function byDeployment(one: ApplySetInventory, two: ApplySetInventory): number {
  return one.deployment < two.deployment ? -1 : 1;
}
