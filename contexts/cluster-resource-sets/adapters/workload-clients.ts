import type { KubeClient } from '#kit/kube';
import type { ObjectKey } from '#kit/kube/cache';
import type { ClusterObject } from './kinds.ts';

/** How workload clusters are reached. Whoever makes the clients keeps, probes and closes them. */
export interface WorkloadClients {
  /**
   * A client of the cluster, kept for the next who asks. Rejects when the cluster cannot be reached now, without waiting for
   * longer than a probe: the message is what people read in the condition of a set, and names no secret.
   */
  clientFor(cluster: ClusterObject, signal: AbortSignal): Promise<KubeClient>;
  /** Told when a cluster can be reached again, or is reached in another way: what did not succeed there is tried at once. */
  onChange(handler: (cluster: ObjectKey) => void): () => void;
}
