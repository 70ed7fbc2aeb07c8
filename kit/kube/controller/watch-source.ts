import type { KeyedQueue } from '#kit/reconcile';
import type { ChangeHandler, Informer } from '../cache/informer.ts';
import type { Change, ObjectKey } from '../cache/object-store.ts';
import type { KubeObject, Resource } from '../client/kube-object.ts';
import { controllerOf } from '../objects/owner-references.ts';
import type { Expectations } from './expectations.ts';
import { formatKey, keyOf } from './object-key.ts';
import type { Predicate } from './predicates.ts';

/** The keys that an object is about: which of ours have to be looked at when it changes. */
export type Mapper<T extends KubeObject> = (object: T) => readonly ObjectKey[];

/** One thing that a controller watches. */
export interface WatchSource {
  synced(signal: AbortSignal): Promise<void>;
  /** Adds to the queue what changes ask for; returns how to end that. */
  feed(queue: KeyedQueue): () => void;
}

export interface SourceOptions<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly mapper: Mapper<T>;
  readonly predicates: readonly Predicate<T>[];
  /** Told of every change before predicates judge it. */
  readonly seen?: (change: Change<T>, key: ObjectKey) => void;
}

export function watchSource<T extends KubeObject>({
  informer,
  mapper,
  predicates,
  seen,
}: SourceOptions<T>): WatchSource {
  const onChange =
    (queue: KeyedQueue): ChangeHandler<T> =>
    ({ initial, ...change }) => {
      // What an object was about before counts too: whom it left has to be looked at.
      const keys = new Map([change.old, change.now].flatMap((object) => (object ? mapper(object) : [])).map(named));
      if (seen) for (const key of keys.values()) seen(change, key);
      if (!predicates.every((predicate) => predicate(change))) return;
      // The first list is everything there is. What happens meanwhile goes before it.
      for (const key of keys.keys()) queue.add(key, { priority: initial ? 'low' : 'normal' });
    };
  return {
    synced: (signal) => informer.synced(signal),
    feed: (queue) => informer.onChange(onChange(queue)),
  };
}

/** The key of the object itself. */
export function itself(object: KubeObject): readonly ObjectKey[] {
  return [keyOf(object)];
}

/** The key of the object of this kind that controls it, if one does. */
export function itsController(owner: Resource): Mapper<KubeObject> {
  return (object) => {
    const reference = controllerOf(object);
    if (reference === undefined || reference.kind !== owner.kind) return [];
    // Versions of a group are views on the same objects.
    if (groupOf(reference.apiVersion) !== owner.group) return [];
    return [{ name: reference.name, ...(owner.namespaced && { namespace: object.metadata.namespace }) }];
  };
}

/** Tells expectations what the cache shows of what a key made. */
export function observing(expectations: Expectations): (change: Change, key: ObjectKey) => void {
  return (change, key) => expectations.observe(key, change);
}

function named(key: ObjectKey): [text: string, key: ObjectKey] {
  return [formatKey(key), key];
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
