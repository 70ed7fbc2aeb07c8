import { after, before, describe } from 'node:test';
import { openCluster } from '#contexts/kubernetes/adapters';
import { createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import { clustersUnavailable, sharedCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { kubernetesAgentContract } from './testing/kubernetes-agent-contract.ts';

/** Foreground deletion is completed by a controller. */
const size = 'controllers';

describe('on a real API server', { skip: (await clustersUnavailable(size)) ?? false }, () => {
  let client: KubeClient;

  before(async () => {
    const shared = await sharedCluster(size, AbortSignal.timeout(PATIENCE_MS));
    client = createKubeClient({ config: parseKubeConfig(shared.kubeconfig()) });
  });

  after(async () => await client.close());

  kubernetesAgentContract('kubernetes', async (signal) => {
    const cleanups: (() => Promise<void>)[] = [];
    const shared = await sharedCluster(size, signal);
    const namespace = await shared.namespace({ after: (body) => cleanups.push(async () => await body()) });
    const close = async (): Promise<void> => {
      for (const clean of cleanups) await clean();
    };
    return { ports: await openCluster({ client, namespace }, signal), namespace, close };
  });
});
