import type { KubeClient } from '#kit/kube';
import type { Logger } from '#kit/telemetry';
import type { ClusterPorts } from '../application/ports.ts';
import type { OwnPlace } from '../domain/own-place.ts';
import { celHealthRules } from './cel-health-rules.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { KubeClusterApi } from './kube-cluster-api.ts';
import { KubeClusterWatch } from './kube-cluster-watch.ts';
import { KubeDiscovery } from './kube-discovery.ts';
import { KubeInventories } from './kube-inventories.ts';
import { KubeOrders } from './kube-orders.ts';

export interface OpenClusterOptions {
  readonly client: KubeClient;
  /** Where orders and inventories are stored; created if missing. */
  readonly namespace?: string;
  /** The agent's own part of the cluster, which deliveries must not touch. */
  readonly own?: OwnPlace;
  readonly log?: Logger;
}

/** Everything needed to serve a cluster, over one client. Throws if the cluster does not answer. */
export async function openCluster(
  { client, namespace = 'fleetshift-system', own, log }: OpenClusterOptions,
  signal: AbortSignal,
): Promise<ClusterPorts> {
  const discovery = new KubeDiscovery(client, namespace);
  const instance = await discovery.instance(signal);
  await ensureNamespace(client, namespace, signal);
  return {
    instance,
    api: new KubeClusterApi(client),
    discovery,
    inventories: new KubeInventories(client, namespace),
    orders: new KubeOrders(client, namespace),
    watch: new KubeClusterWatch({ client, log }),
    evaluate: celHealthRules(),
    ...(own && { own }),
  };
}
