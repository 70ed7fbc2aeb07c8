import type { WorkloadApi, WorkloadClusters } from '../application/ports.ts';
import type { Cluster } from '../domain/cluster.ts';
import { CrsError } from '../domain/crs-error.ts';
import type { FreshCache } from './fresh-cache.ts';
import type { ClusterObject } from './kinds.ts';
import { KubeWorkloadApi } from './kube-workload-api.ts';
import type { WorkloadClients } from './workload-clients.ts';

export interface KubeWorkloadClustersDeps {
  readonly clients: WorkloadClients;
  readonly clusters: FreshCache<ClusterObject>;
}

export class KubeWorkloadClusters implements WorkloadClusters {
  readonly #clients: WorkloadClients;
  readonly #clusters: FreshCache<ClusterObject>;

  constructor({ clients, clusters }: KubeWorkloadClustersDeps) {
    this.#clients = clients;
    this.#clusters = clusters;
  }

  async connect({ namespace, name }: Cluster, signal: AbortSignal): Promise<WorkloadApi> {
    const object = this.#clusters.get({ namespace, name });
    if (object === undefined) throw new CrsError('CLUSTER_UNREACHABLE', 'it is gone');
    try {
      return new KubeWorkloadApi(await this.#clients.clientFor(object, signal));
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      throw new CrsError('CLUSTER_UNREACHABLE', why, { cause: error });
    }
  }
}
