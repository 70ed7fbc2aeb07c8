import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { CORE, createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import type { Lister } from '#kit/kube/cache';
import { clustersUnavailable, sharedCluster, type TestCluster } from '#testing/clusters';
import { freePorts } from '#testing/free-ports';
import { PATIENCE_MS } from '#testing/patience';
import { inventoriesContract } from '../testing/inventories-contract.ts';
import { SettableWorkloads } from '../testing/settable-workloads.ts';
import { workloadContract } from '../testing/workload-contract.ts';
import { FreshCache } from './fresh-cache.ts';
import type { ClusterObject } from './kinds.ts';
import { KubeInventories } from './kube-inventories.ts';
import { KubeWorkloadClusters } from './kube-workload-clusters.ts';

describe('a real API server', { skip: (await clustersUnavailable()) ?? false }, () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  const cleaner = { after: (clean: () => Promise<void> | void) => void cleanups.push(clean) };
  let cluster: TestCluster;
  let client: KubeClient;
  let nobody: KubeClient;

  before(async () => {
    cluster = await sharedCluster('apiserver', AbortSignal.timeout(PATIENCE_MS));
    client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
    const [port] = await freePorts(1);
    nobody = createKubeClient({ config: { server: `https://127.0.0.1:${port}`, namespace: 'default', identity: {} } });
    cleaner.after(() => client.close());
    cleaner.after(() => nobody.close());
  });

  after(async () => {
    for (const clean of cleanups.toReversed()) await clean();
  });

  workloadContract('an API server', async () => {
    const clients = new SettableWorkloads(client);
    clients.set({ namespace: 'fleet', name: 'b' }, nobody);
    return {
      clusters: new KubeWorkloadClusters({ clients, clusters: new FreshCache(everyCluster) }),
      namespace: await cluster.namespace(cleaner),
    };
  });

  inventoriesContract('as ConfigMaps', async (signal) => {
    const namespace = await cluster.namespace(cleaner);
    return {
      inventories: new KubeInventories(client),
      namespace,
      spoil: async () => {
        const { items } = await client.list({ resource: CORE.configMaps, namespace }, {}, signal);
        const kept = items.filter(({ metadata }) => metadata.labels?.['crs.fleetshift.io/inventory'] !== undefined);
        for (const { metadata } of kept) {
          const ref = { resource: CORE.configMaps, namespace, name: metadata.name ?? '' };
          await client.patch(ref, { type: 'merge', patch: { data: { items: '{"no": "list"}' } } }, {}, signal);
        }
      },
    };
  });
});

/** Every requested cluster exists. */
const everyCluster: Lister<ClusterObject> = {
  size: 0,
  get: ({ namespace = '', name }) => ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { namespace, name },
  }),
  list: () => [],
  index: () => assert.fail('nobody asks for it'),
};
