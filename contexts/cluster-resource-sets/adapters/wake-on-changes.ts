import type { KubeObject } from '#kit/kube';
import type { Change } from '#kit/kube/cache';
import { keyOf } from '#kit/kube/controller';
import type { Priority } from '#kit/reconcile';
import { selects } from '../domain/cluster-selection.ts';
import { FINALIZER, type NamespacedName } from '../domain/resource-set.ts';
import { type Caches, resourceIndexKey } from './caches.ts';
import type { BindingObject, ClusterObject, SetObject } from './kinds.ts';
import { readCluster } from './kube-clusters.ts';
import type { KeptResource } from './trims.ts';

interface WakeOptions {
  readonly priority: Priority;
  readonly afterMs?: number;
}

export interface Wakes {
  readonly wakeSet: (key: NamespacedName, options: WakeOptions) => void;
  readonly wakeCluster: (key: NamespacedName, options: WakeOptions) => void;
}

/** Sets that are deleted together are removed from a binding together. */
const LEAVE_AFTER_MS = 20;

/**
 * Maps changes to the keys they affect. Keys of the previous state of an object are included. Objects of the initial
 * list get low priority, behind changes.
 */
export function wakeOnChanges(caches: Caches, wakes: Wakes): () => void {
  const mappers = new Mappers(caches, wakes);
  const ends = [
    caches.sets.informer.onChange(({ initial, ...change }) => mappers.setChanged(change, priorityOf(initial))),
    caches.clusters.informer.onChange(({ initial, ...change }) => mappers.clusterChanged(change, priorityOf(initial))),
    caches.bindings.informer.onChange(({ initial, ...change }) => mappers.bindingChanged(change, priorityOf(initial))),
    ...[caches.configMaps, caches.secrets].map(({ informer }) =>
      informer.onChange(({ initial, ...change }) => mappers.resourceChanged(change, priorityOf(initial))),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

class Mappers {
  readonly #caches: Caches;
  readonly #wakes: Wakes;

  constructor(caches: Caches, wakes: Wakes) {
    this.#caches = caches;
    this.#wakes = wakes;
  }

  setChanged(change: Change<SetObject>, priority: Priority): void {
    for (const set of both(change)) this.#wakes.wakeSet(namedOf(set), { priority });
    if (!concernsClusters(change)) return;
    const isLeaving = change.now?.metadata.deletionTimestamp !== undefined;
    const options = isLeaving ? { priority, afterMs: LEAVE_AFTER_MS } : { priority };
    for (const set of both(change)) for (const key of this.#clustersOf(set)) this.#wakes.wakeCluster(key, options);
  }

  clusterChanged(change: Change<ClusterObject>, priority: Priority): void {
    if (change.old && change.now && !concernsSets(change.old, change.now)) return;
    for (const cluster of both(change)) {
      this.#wakes.wakeCluster(namedOf(cluster), { priority });
      // A set with an unreadable selector does not keep others from being queued.
      for (const set of this.#caches.sets.informer.cache.list(cluster.metadata.namespace ?? '')) {
        if (selects(set.spec?.clusterSelector ?? {}, readCluster(cluster)))
          this.#wakes.wakeSet(namedOf(set), { priority });
      }
    }
  }

  bindingChanged(change: Change<BindingObject>, priority: Priority): void {
    // If we wrote the binding ourselves, its cluster was just reconciled.
    const isNews = change.now === undefined || !this.#caches.bindings.fresh.isOurs(change.now);
    if (isNews) for (const binding of both(change)) this.#wakes.wakeCluster(namedOf(binding), { priority });
    const { namespace = '' } = (change.now ?? change.old)?.metadata ?? {};
    for (const { clusterResourceSetName } of change.old?.spec?.bindings ?? []) {
      const set = this.#caches.sets.informer.cache.get({ namespace, name: clusterResourceSetName });
      // The set waits until its entries are gone.
      if (set?.metadata.deletionTimestamp !== undefined) this.#wakes.wakeSet(namedOf(set), { priority });
    }
  }

  /** By reference, not by owner: all sets that use a resource are queued, not only the one that owns it. */
  resourceChanged(change: Change<KeptResource>, priority: Priority): void {
    const resource = change.now ?? change.old;
    if (resource === undefined) return;
    const { namespace = '', name = '' } = resource.metadata;
    const isOther = change.old?.hash !== change.now?.hash || change.old?.metadata.uid !== change.now?.metadata.uid;
    for (const set of this.#caches.setsByResource.get(resourceIndexKey(namespace, { kind: resource.kind, name }))) {
      this.#wakes.wakeSet(namedOf(set), { priority });
      if (isOther) for (const key of this.#clustersOf(set)) this.#wakes.wakeCluster(key, { priority });
    }
  }

  /** Clusters that the set selects, and clusters that still have an entry of it. */
  #clustersOf({ metadata, spec }: SetObject): readonly NamespacedName[] {
    const { namespace = '', name = '' } = metadata;
    const selector = spec?.clusterSelector ?? {};
    const clusters = this.#caches.clusters.informer.cache.list(namespace);
    const selected = clusters.filter((cluster) => selects(selector, readCluster(cluster)));
    if (metadata.deletionTimestamp === undefined) return selected.map(namedOf);
    const bindings = this.#caches.bindings.fresh.list(namespace);
    const bound = bindings.filter(({ spec: { bindings: entries = [] } = {} }) =>
      entries.some(({ clusterResourceSetName }) => clusterResourceSetName === name),
    );
    return [...selected, ...bound].map(namedOf);
  }
}

/** Changes of a set's status, or of finalizers of others, do not affect clusters. */
function concernsClusters({ old, now }: Change<SetObject>): boolean {
  if (old === undefined || now === undefined) return true;
  const [before, after] = [old.metadata, now.metadata];
  return (
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.finalizers?.includes(FINALIZER) !== after.finalizers?.includes(FINALIZER) ||
    JSON.stringify(before.annotations) !== JSON.stringify(after.annotations)
  );
}

/** Clusters change often, and most changes are about their provisioning. */
function concernsSets(old: ClusterObject, now: ClusterObject): boolean {
  const told = ({ metadata, spec, status }: ClusterObject): string =>
    JSON.stringify([metadata.labels, metadata.annotations, metadata.deletionTimestamp, spec, status]);
  return told(old) !== told(now);
}

function both<T extends KubeObject>({ old, now }: Change<T>): readonly T[] {
  return [old, now].filter((object) => object !== undefined);
}

function namedOf(object: KubeObject): NamespacedName {
  const { namespace = '', name } = keyOf(object);
  return { namespace, name };
}

function priorityOf(initial: boolean): Priority {
  return initial ? 'low' : 'normal';
}
