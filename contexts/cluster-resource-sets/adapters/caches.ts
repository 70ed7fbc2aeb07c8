import { CORE, type KubeObject, type Resource } from '#kit/kube';
import type { Informer, InformerFactory, ObjectIndex, SharedInformerOptions } from '#kit/kube/cache';
import { SECRET_TYPE } from '../domain/resource-set.ts';
import { FreshCache } from './fresh-cache.ts';
import { BINDINGS, type BindingObject, CLUSTERS, type ClusterObject, SETS, type SetObject } from './kinds.ts';
import { type KeptResource, resourceTrim, trimCluster } from './trims.ts';

export interface CachesOptions {
  readonly informers: InformerFactory;
  /** Watch only this namespace. */
  readonly namespace?: string;
  /** Only sets whose label `cluster.x-k8s.io/watch-filter` has this value are managed. */
  readonly watchFilter?: string;
}

/** A watched collection, combined with our own writes. */
export interface Followed<T extends KubeObject> {
  readonly informer: Informer<T>;
  /** With these, the factory gives the same informer to others. */
  readonly options: SharedInformerOptions<T>;
  readonly fresh: FreshCache<T>;
}

/** The watched collections of the management cluster. */
export interface Caches {
  readonly informers: Pick<InformerFactory, 'informer'>;
  readonly namespace?: string;
  readonly sets: Followed<SetObject>;
  readonly bindings: Followed<BindingObject>;
  readonly clusters: Followed<ClusterObject>;
  readonly configMaps: Followed<KeptResource>;
  readonly secrets: Followed<KeptResource>;
  /** Sets by `resourceIndexKey`. */
  readonly setsByResource: ObjectIndex<SetObject>;
  synced(signal: AbortSignal): Promise<void>;
}

const WATCH_FILTER_LABEL = 'cluster.x-k8s.io/watch-filter';

/**
 * Registers the informers; the factory runs them. They start before leader election, so that a new leader has warm
 * caches.
 */
export function createCaches({ informers, namespace, watchFilter }: CachesOptions): Caches {
  const scope = namespace === undefined ? {} : { namespace };
  const follow = <T extends KubeObject>(resource: Resource, options: SharedInformerOptions<T> = {}): Followed<T> =>
    followed(informers.informer<T>({ resource, ...scope }, options), options);
  const labelSelector = watchFilter === undefined ? {} : { labelSelector: `${WATCH_FILTER_LABEL}=${watchFilter}` };
  const sets = follow<SetObject>(SETS, labelSelector);
  const setsByResource = sets.informer.cache.index(resourceKeysOf);
  const isNamed = (kind: string) => (object: KubeObject) => {
    const { namespace: place = '', name = '' } = object.metadata;
    return setsByResource.get(resourceIndexKey(place, { kind, name })).length > 0;
  };
  const all = {
    sets,
    bindings: follow<BindingObject>(BINDINGS),
    clusters: follow<ClusterObject>(CLUSTERS, { trim: trimCluster }),
    configMaps: follow<KeptResource>(CORE.configMaps, { trim: resourceTrim('ConfigMap', isNamed('ConfigMap')) }),
    // DECISION: only Secrets of our own type are watched, so that other Secrets never enter this process. The price is
    // that a Secret of another type looks missing until it is requested.
    secrets: follow<KeptResource>(CORE.secrets, {
      trim: resourceTrim('Secret', isNamed('Secret')),
      fieldSelector: `type=${SECRET_TYPE}`,
    }),
  };
  const synced = async (signal: AbortSignal): Promise<void> => {
    await Promise.all(Object.values(all).map(({ informer }) => informer.synced(signal)));
  };
  return { ...all, ...scope, informers, setsByResource, synced };
}

export function resourceIndexKey(namespace: string, { kind, name }: { readonly kind: string; readonly name: string }) {
  return `${namespace}/${kind}/${name}`;
}

function resourceKeysOf({ metadata, spec }: SetObject): readonly string[] {
  return (spec?.resources ?? []).map((ref) => resourceIndexKey(metadata.namespace ?? '', ref));
}

function followed<T extends KubeObject>(informer: Informer<T>, options: SharedInformerOptions<T>): Followed<T> {
  const fresh = new FreshCache(informer.cache);
  informer.onChange(({ old, now }) => {
    if (now === undefined && old !== undefined) fresh.sawDeleted(old);
  });
  return { informer, options, fresh };
}
