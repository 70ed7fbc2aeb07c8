import type { LabelSelector } from '#kit/std';
import type { SetOptions } from './set-options.ts';
import type { SetStatus } from './set-status.ts';

/** Keeps a set from being deleted while a binding still has an entry of it. */
export const FINALIZER = 'addons.cluster.x-k8s.io';
/** Only Secrets of this type are applied, so that no other Secret is sent to clusters by mistake. */
export const SECRET_TYPE = 'addons.cluster.x-k8s.io/resource-set';
/** With any value, on a set, a cluster or a binding. */
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

/** Selects which ConfigMaps and Secrets go to which clusters of the namespace. */
export interface ResourceSet extends NamespacedName {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
  readonly isPaused: boolean;
  readonly selector: LabelSelector;
  /** As written: without the defaulting webhook it may be missing or invalid. */
  readonly strategy: string;
  readonly resources: readonly ResourceRef[];
  readonly options: SetOptions;
  readonly status: SetStatus;
}

export function hasOurFinalizer({ finalizers }: ResourceSet): boolean {
  return finalizers.includes(FINALIZER);
}

/** The set may be applied: it has our finalizer, is not paused and is not being deleted. */
export function isAtWork(set: ResourceSet): boolean {
  return hasOurFinalizer(set) && !set.isPaused && !set.isDeleting;
}

/**
 * Its entries must be removed from bindings now. A paused set keeps its entries and its finalizer until it is resumed.
 */
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
