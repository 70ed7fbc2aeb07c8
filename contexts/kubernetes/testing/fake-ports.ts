import { celHealthRules } from '../adapters/cel-health-rules.ts';
import type { ClusterPorts } from '../application/ports.ts';
import type { Scope } from '../domain/desired-objects.ts';
import { FakeCluster } from './fake-cluster.ts';
import { FakeWatch } from './fake-watch.ts';
import { MemoryInventories } from './memory-inventories.ts';
import { MemoryOrders } from './memory-orders.ts';

export interface FakePorts extends ClusterPorts {
  readonly api: FakeCluster;
  readonly inventories: MemoryInventories;
  readonly orders: MemoryOrders;
  readonly watch: FakeWatch;
  /** Served kinds, by `apiVersion/kind`; a test may add to it. */
  readonly scopes: Map<string, Scope>;
}

/** An empty in-memory cluster. */
export function fakePorts(): FakePorts {
  const api = new FakeCluster();
  const scopes = new Map<string, Scope>([
    ['v1/Namespace', 'cluster'],
    ['v1/ConfigMap', 'namespaced'],
    ['v1/Secret', 'namespaced'],
    ['apps/v1/Deployment', 'namespaced'],
    ['apiextensions.k8s.io/v1/CustomResourceDefinition', 'cluster'],
  ]);
  return {
    instance: 'i-1',
    api,
    scopes,
    discovery: { scopes: async () => scopes, instance: async () => 'i-1' },
    inventories: new MemoryInventories(),
    orders: new MemoryOrders(),
    watch: new FakeWatch(api),
    evaluate: celHealthRules(),
  };
}
