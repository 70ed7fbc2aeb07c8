import type { KubeClient } from '#kit/kube';
import type { ObjectKey } from '#kit/kube/cache';
import type { ClusterObject } from './kinds.ts';

/** Access to workload clusters. The implementation caches, probes and closes the clients. */
export interface WorkloadClients {
  /**
   * A client of the cluster, cached for later calls. Rejects if the cluster cannot be reached now, and waits no longer
   * than a probe. The error message appears in the condition of a set, so it must not contain secrets.
   */
  clientFor(cluster: ClusterObject, signal: AbortSignal): Promise<KubeClient>;
  /**
   * Called when a cluster can be reached again, or is reached in a different way: failed work there is retried at once.
   */
  onChange(handler: (cluster: ObjectKey) => void): () => void;
}
