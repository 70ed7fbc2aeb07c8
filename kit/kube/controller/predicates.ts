import type { Change } from '../cache/object-store.ts';
import type { KubeObject } from '../client/kube-object.ts';

/** Whether a change is worth a reconcile. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean;

/**
 * The spec changed, not only the status: for kinds with a status subresource, the server increments the generation with
 * the spec.
 */
export const generationChanged: Predicate = ({ old, now }) =>
  old === undefined || now === undefined || old.metadata.generation !== now.metadata.generation;

export const labelsChanged: Predicate = ({ old, now }) =>
  old === undefined || now === undefined || differ(old.metadata.labels, now.metadata.labels);

export const annotationsChanged: Predicate = ({ old, now }) =>
  old === undefined || now === undefined || differ(old.metadata.annotations, now.metadata.annotations);

/** All predicates of a watch must match; with this, one is enough. */
export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

function differ(old: Readonly<Record<string, string>> = {}, now: Readonly<Record<string, string>> = {}): boolean {
  const keys = Object.keys(now);
  return keys.length !== Object.keys(old).length || keys.some((key) => old[key] !== now[key]);
}
