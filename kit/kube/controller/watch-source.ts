import type { Wake } from '#kit/reconcile';
import type { ChangeHandler, Informer } from '../cache/informer.ts';
import type { Change, ObjectKey } from '../cache/object-store.ts';
import type { KubeObject, Resource } from '../client/kube-object.ts';
import { controllerOf } from '../objects/owner-references.ts';
import type { Expectations } from './expectations.ts';
import { formatKey, keyOf } from './object-key.ts';
import type { Predicate } from './predicates.ts';

/** The keys that must be reconciled when the object changes; called for what it was before, and for what it is now. */
export type Mapper<T extends KubeObject> = (object: T, change: Change<T>) => readonly ObjectKey[];

/** A source of changes for a controller. */
export interface WatchSource {
  synced(signal: AbortSignal): Promise<void>;
  /** Wakes the keys of changes; returns a function that stops it. */
  feed(wake: Wake): () => void;
}

export interface SourceOptions<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly mapper: Mapper<T>;
  readonly predicates: readonly Predicate<T>[];
  /** How long the keys of a change wait, so that changes that come together are one reconcile; 0 by default. */
  readonly afterMs?: (change: Change<T>) => number;
  /** Called for every change before the predicates. */
  readonly seen?: (change: Change<T>, key: ObjectKey) => void;
}

export function watchSource<T extends KubeObject>({
  informer,
  mapper,
  predicates,
  afterMs,
  seen,
}: SourceOptions<T>): WatchSource {
  const onChange =
    (wake: Wake): ChangeHandler<T> =>
    ({ initial, ...change }) => {
      const isWorthIt = predicates.every((predicate) => predicate(change));
      if (!isWorthIt && !seen) return;
      // Includes the keys of the previous state: the former owner must be reconciled too.
      const states = [change.old, change.now].filter((object) => object !== undefined);
      const keys = new Map(states.flatMap((object) => mapper(object, change)).map(named));
      if (seen) for (const key of keys.values()) seen(change, key);
      if (!isWorthIt) return;
      // The first list contains everything; later changes go before it.
      const options = { priority: initial ? 'low' : 'normal', afterMs: afterMs?.(change) ?? 0 } as const;
      for (const key of keys.keys()) wake(key, options);
    };
  return {
    synced: (signal) => informer.synced(signal),
    feed: (wake) => informer.onChange(onChange(wake)),
  };
}

/** Keys that come from something other than objects of this cluster. */
export function otherSource(feed: (wake: Wake) => () => void): WatchSource {
  return { synced: () => Promise.resolve(), feed };
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
