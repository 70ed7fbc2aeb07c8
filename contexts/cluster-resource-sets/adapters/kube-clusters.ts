import type { Clusters } from '../application/ports.ts';
import type { Cluster } from '../domain/cluster.ts';
import { type NamespacedName, PAUSED_ANNOTATION } from '../domain/resource-set.ts';
import type { FreshCache } from './fresh-cache.ts';
import type { ClusterObject } from './kinds.ts';
import { readOnce } from './read-once.ts';

export class KubeClusters implements Clusters {
  readonly #fresh: FreshCache<ClusterObject>;
  readonly #read = readOnce(readCluster);

  constructor(fresh: FreshCache<ClusterObject>) {
    this.#fresh = fresh;
  }

  get(key: NamespacedName): Cluster | undefined {
    const object = this.#fresh.get(key);
    return object && this.#read(object);
  }

  inNamespace(namespace: string): readonly Cluster[] {
    return this.#fresh.list(namespace).map(this.#read);
  }
}

export function readCluster({ metadata, spec = {}, status = {} }: ClusterObject): Cluster {
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    labels: metadata.labels ?? {},
    isDeleting: metadata.deletionTimestamp !== undefined,
    isPaused: Object.hasOwn(metadata.annotations ?? {}, PAUSED_ANNOTATION),
    hasInfrastructure: spec.infrastructureRef?.name !== undefined && spec.infrastructureRef.name !== '',
    isProvisioned: status.initialization?.infrastructureProvisioned === true,
  };
}
