import type { LabelSelector } from '#kit/std';
import type { SetOptions } from './set-options.ts';
import type { SetStatus } from './set-status.ts';

/** What a set holds on to itself with, until no binding has an entry of it. */
export const FINALIZER = 'addons.cluster.x-k8s.io';
/** The only Secrets that are applied: nobody has another one sent to clusters by mistake. */
export const SECRET_TYPE = 'addons.cluster.x-k8s.io/resource-set';
/** Of any value, on a set, a cluster or a binding. */
export const PAUSED_ANNOTATION = 'cluster.x-k8s.io/paused';

export const STRATEGIES = ['ApplyOnce', 'Reconcile'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** A ConfigMap or a Secret in the namespace of the set. */
export interface ResourceRef {
  readonly kind: string;
  readonly name: string;
}

/** Which ConfigMaps and Secrets go to which clusters of the namespace. */
export interface ResourceSet extends NamespacedName {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
  readonly isPaused: boolean;
  readonly selector: LabelSelector;
  /** As it is written: without a webhook that fills it in, it may be missing or wrong. */
  readonly strategy: string;
  readonly resources: readonly ResourceRef[];
  readonly options: SetOptions;
  readonly status: SetStatus;
}

export function hasOurFinalizer({ finalizers }: ResourceSet): boolean {
  return finalizers.includes(FINALIZER);
}

/** It may be brought to clusters: it cannot go without our noticing, nobody holds it, and it is here to stay. */
export function isAtWork(set: ResourceSet): boolean {
  return hasOurFinalizer(set) && !set.isPaused && !set.isDeleting;
}

/** Its entries are taken out of bindings now. A set that is paused keeps them, and its finalizer, until it is not. */
export function isLeaving(set: ResourceSet): boolean {
  return hasOurFinalizer(set) && !set.isPaused && set.isDeleting;
}

export function isSameRef(a: ResourceRef, b: ResourceRef): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** For messages and keys: `ConfigMap settings`. */
export function showRef({ kind, name }: ResourceRef): string {
  return `${kind} ${name}`;
}
