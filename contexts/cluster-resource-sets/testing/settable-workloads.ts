import type { KubeClient } from '#kit/kube';
import type { ObjectKey } from '#kit/kube/cache';
import type { ClusterObject } from '../adapters/kinds.ts';
import type { WorkloadClients } from '../adapters/workload-clients.ts';

/** Sets for each cluster, by name, the client it is reached with, or why it is unreachable. */
export class SettableWorkloads implements WorkloadClients {
  readonly #otherwise: KubeClient;
  readonly #ways = new Map<string, KubeClient | string>();
  readonly #handlers = new Set<(cluster: ObjectKey) => void>();

  constructor(otherwise: KubeClient) {
    this.#otherwise = otherwise;
  }

  set(cluster: ObjectKey, way: KubeClient | string): void {
    this.#ways.set(cluster.name, way);
    for (const tell of this.#handlers) tell(cluster);
  }

  async clientFor({ metadata: { name = '' } }: ClusterObject): Promise<KubeClient> {
    const way = this.#ways.get(name) ?? this.#otherwise;
    if (typeof way === 'string') throw new Error(way);
    return way;
  }

  onChange(handler: (cluster: ObjectKey) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }
}
