import type { KeyedQueue } from '#kit/reconcile';
import type { ChangeHandler, Informer } from '../cache/informer.ts';
import type { Change, ObjectKey } from '../cache/object-store.ts';
import type { KubeObject, Resource } from '../client/kube-object.ts';
import { controllerOf } from '../objects/owner-references.ts';
import type { Expectations } from './expectations.ts';
import { formatKey, keyOf } from './object-key.ts';
import type { Predicate } from './predicates.ts';

/** The keys that must be reconciled when the object changes. */
export type Mapper<T extends KubeObject> = (object: T) => readonly ObjectKey[];

/** A source of changes for a controller. */
export interface WatchSource {
  synced(signal: AbortSignal): Promise<void>;
  /** Adds the keys of changes to the queue; returns a function that stops it. */
  feed(queue: KeyedQueue): () => void;
}

export interface SourceOptions<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly mapper: Mapper<T>;
  readonly predicates: readonly Predicate<T>[];
  /** Called for every change before the predicates. */
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
      // Includes the keys of the previous state: the former owner must be reconciled too.
      const keys = new Map([change.old, change.now].flatMap((object) => (object ? mapper(object) : [])).map(named));
      if (seen) for (const key of keys.values()) seen(change, key);
      if (!predicates.every((predicate) => predicate(change))) return;
      // The first list contains everything; later changes go before it.
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

/** The key of the controlling object of this kind, if there is one. */
export function itsController(owner: Resource): Mapper<KubeObject> {
  return (object) => {
    const reference = controllerOf(object);
    if (reference === undefined || reference.kind !== owner.kind) return [];
    // Versions of a group are views of the same objects.
    if (groupOf(reference.apiVersion) !== owner.group) return [];
    return [{ name: reference.name, ...(owner.namespaced && { namespace: object.metadata.namespace }) }];
  };
}

/** Passes the changes that the cache shows to the expectations. */
export function observing(expectations: Expectations): (change: Change, key: ObjectKey) => void {
  return (change, key) => expectations.observe(key, change);
}

function named(key: ObjectKey): [text: string, key: ObjectKey] {
  return [formatKey(key), key];
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
