import { after, before, describe } from 'node:test';
import { CORE } from '#kit/kube';
import { clustersUnavailable } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { clusterApiContract } from '../testing/cluster-api-contract.ts';
import { type RealScene, realScene } from '../testing/real-scene.ts';
import { storeContracts } from '../testing/store-contracts.ts';
import { KubeInventories } from './kube-inventories.ts';
import { KubeOrders } from './kube-orders.ts';

describe('a real API server', { skip: (await clustersUnavailable()) ?? false }, () => {
  let scene: RealScene;

  before(async () => {
    scene = await realScene('apiserver', AbortSignal.timeout(PATIENCE_MS));
  });

  after(async () => await scene.close());

  storeContracts('as Secrets', async (signal) => {
    const { client, namespace } = scene;
    await client.deleteCollection({ resource: CORE.secrets, namespace }, {}, signal);
    return () => ({
      inventories: new KubeInventories(client, namespace),
      orders: new KubeOrders(client, namespace),
    });
  });

  clusterApiContract('an API server', async (signal) => {
    const { client, namespace, ports } = scene;
    return {
      api: ports.api,
      namespace,
      applyAs: async (fieldManager, object) => {
        const resource = await client.discovery.resourceFor(object.apiVersion, object.kind, signal);
        const ref = { resource, namespace, name: object.metadata.name ?? '' };
        await client.apply(ref, object, { fieldManager, force: true }, signal);
      },
    };
  });
});
