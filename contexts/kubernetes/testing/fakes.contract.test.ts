import { clusterApiContract } from './cluster-api-contract.ts';
import { FakeCluster } from './fake-cluster.ts';
import { MemoryInventories } from './memory-inventories.ts';
import { MemoryOrders } from './memory-orders.ts';
import { storeContracts } from './store-contracts.ts';

storeContracts('in memory', async () => {
  const [inventories, orders] = [new Map(), new Map()];
  return () => ({ inventories: new MemoryInventories(inventories), orders: new MemoryOrders(orders) });
});

clusterApiContract('in memory', async () => {
  const api = new FakeCluster();
  const applyAs = async (...[manager, object]: Parameters<FakeCluster['applyAs']>): Promise<void> => {
    api.applyAs(manager, object, { force: true });
  };
  return { api, namespace: 'shop', applyAs };
});
