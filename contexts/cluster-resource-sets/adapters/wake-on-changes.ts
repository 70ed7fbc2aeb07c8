import { CORE, type KubeObject } from '#kit/kube';
import type { Change, ObjectKey } from '#kit/kube/cache';
import { type ControllerBuilder, keyOf } from '#kit/kube/controller';
import { selects } from '../domain/cluster-selection.ts';
import { FINALIZER } from '../domain/resource-set.ts';
import { type Caches, resourceIndexKey } from './caches.ts';
import { BINDINGS, type BindingObject, CLUSTERS, type ClusterObject, SETS, type SetObject } from './kinds.ts';
import { readCluster } from './kube-clusters.ts';
import { readOnce } from './read-once.ts';
import type { KeptResource } from './trims.ts';

/** Sets that are deleted together are removed from a binding together. */
const LEAVE_AFTER_MS = 20;

/** Declares which changes wake a set. */
export function watchForSets(builder: ControllerBuilder, caches: Caches): ControllerBuilder {
  // A set with an unreadable selector does not keep others from being queued.
  const thatSelect = (cluster: ClusterObject): readonly ObjectKey[] =>
    caches.sets.informer.cache
      .list(cluster.metadata.namespace ?? '')
      .filter(({ spec }) => selects(spec?.clusterSelector ?? {}, readCluster(cluster)))
      .map(keyOf);
  /** By reference, not by owner: all sets that use a resource are queued, not only the one that owns it. */
  const thatUse = ofOneState((resource: KeptResource) => setsThatUse(caches, resource).map(keyOf));
  return builder
    .for(SETS, caches.sets.options)
    .watches(CLUSTERS, thatSelect, { ...caches.clusters.options, predicates: [concernsSets] })
    .watches(BINDINGS, setsThatWaited(caches), caches.bindings.options)
    .watches(CORE.configMaps, thatUse, caches.configMaps.options)
    .watches(CORE.secrets, thatUse, caches.secrets.options);
}

/** Declares which changes wake a cluster. */
export function watchForClusters(builder: ControllerBuilder, caches: Caches): ControllerBuilder {
  const isLeaving = ({ now }: Change<SetObject>): boolean => now?.metadata.deletionTimestamp !== undefined;
  // If we wrote the binding ourselves, its cluster was just reconciled.
  const isNews = ({ now }: Change<BindingObject>): boolean => now === undefined || !caches.bindings.fresh.isOurs(now);
  const whereUsed = ofOneState((resource: KeptResource) =>
    setsThatUse(caches, resource).flatMap((set) => clustersOf(caches, set)),
  );
  return builder
    .for(CLUSTERS, { ...caches.clusters.options, predicates: [concernsSets] })
    .watches<SetObject>(SETS, (set) => clustersOf(caches, set), {
      ...caches.sets.options,
      predicates: [concernsClusters],
      afterMs: (change) => (isLeaving(change) ? LEAVE_AFTER_MS : 0),
    })
    .watches(BINDINGS, (binding) => [keyOf(binding)], { ...caches.bindings.options, predicates: [isNews] })
    .watches(CORE.configMaps, whereUsed, { ...caches.configMaps.options, predicates: [hasOtherContent] })
    .watches(CORE.secrets, whereUsed, { ...caches.secrets.options, predicates: [hasOtherContent] });
}

/** A set that is being deleted waits until its entries are gone. */
function setsThatWaited({ sets }: Caches) {
  return (binding: BindingObject, { old }: Change<BindingObject>): readonly ObjectKey[] => {
    if (binding !== old) return [];
    const { namespace = '' } = binding.metadata;
    return (binding.spec?.bindings ?? [])
      .map(({ clusterResourceSetName: name }) => ({ namespace, name }))
      .filter((key) => sets.informer.cache.get(key)?.metadata.deletionTimestamp !== undefined);
  };
}

function setsThatUse({ setsByResource }: Caches, { kind, metadata }: KeptResource): readonly SetObject[] {
  const { namespace = '', name = '' } = metadata;
  return setsByResource.get(resourceIndexKey(namespace, { kind, name }));
}

/** Clusters that the set selects, and clusters that still have an entry of it. */
function clustersOf({ clusters, bindings }: Caches, { metadata, spec }: SetObject): readonly ObjectKey[] {
  const { namespace = '', name = '' } = metadata;
  const selector = spec?.clusterSelector ?? {};
  const selected = clusters.informer.cache.list(namespace).filter((cluster) => selects(selector, readCluster(cluster)));
  if (metadata.deletionTimestamp === undefined) return selected.map(keyOf);
  const bound = bindings.fresh
    .list(namespace)
    .filter(({ spec: { bindings: entries = [] } = {} }) =>
      entries.some(({ clusterResourceSetName }) => clusterResourceSetName === name),
    );
  return [...selected, ...bound].map(keyOf);
}

/** For keys that are the same for both states of an object: they are looked up once. */
function ofOneState<T extends KubeObject>(mapper: (object: T) => readonly ObjectKey[]) {
  return (object: T, { old, now }: Change<T>): readonly ObjectKey[] => (object === (now ?? old) ? mapper(object) : []);
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

const whatSetsRead = readOnce(({ metadata, spec, status }: ClusterObject) =>
  JSON.stringify([metadata.labels, metadata.annotations, metadata.deletionTimestamp, spec, status]),
);

/** Clusters change often, and most changes are about their provisioning. */
function concernsSets({ old, now }: Change<ClusterObject>): boolean {
  return old === undefined || now === undefined || whatSetsRead(old) !== whatSetsRead(now);
}

function hasOtherContent({ old, now }: Change<KeptResource>): boolean {
  return old?.hash !== now?.hash || old?.metadata.uid !== now?.metadata.uid;
}
