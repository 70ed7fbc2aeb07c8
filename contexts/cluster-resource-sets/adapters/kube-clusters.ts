import type { Clusters } from '../application/ports.ts';
import type { Cluster } from '../domain/cluster.ts';
import { type NamespacedName, PAUSED_ANNOTATION } from '../domain/resource-set.ts';
import type { FreshCache } from './fresh-cache.ts';
import type { ClusterObject } from './kinds.ts';

export class KubeClusters implements Clusters {
  readonly #fresh: FreshCache<ClusterObject>;
  readonly #known = new WeakMap<ClusterObject, Cluster>();

  constructor(fresh: FreshCache<ClusterObject>) {
    this.#fresh = fresh;
  }

  get(key: NamespacedName): Cluster | undefined {
    const object = this.#fresh.get(key);
    return object && this.#clusterOf(object);
  }

  inNamespace(namespace: string): readonly Cluster[] {
    return this.#fresh.list(namespace).map((object) => this.#clusterOf(object));
  }

  #clusterOf(object: ClusterObject): Cluster {
    const known = this.#known.get(object);
    if (known) return known;
    const cluster = readCluster(object);
    this.#known.set(object, cluster);
    return cluster;
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
