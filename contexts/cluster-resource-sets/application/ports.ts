import type { JsonObject } from '#kit/std';
import type { Binding, BindingContent, Owner } from '../domain/binding.ts';
import type { Cluster } from '../domain/cluster.ts';
import type { InventoryItem, ResourceSetInventory } from '../domain/inventory.ts';
import type { Manifest, ManifestObject } from '../domain/manifest.ts';
import type { NamespacedName, ResourceRef, ResourceSet } from '../domain/resource-set.ts';
import type { SetStatus } from '../domain/set-status.ts';

/**
 * State of the management cluster, from a local cache: reads send no requests. The cache is never older than our own
 * writes. Writes are conditional on what was read, and throw `CONFLICT` if it changed meanwhile.
 */
export interface ResourceSets {
  get(key: NamespacedName): ResourceSet | undefined;
  inNamespace(namespace: string): readonly ResourceSet[];
  setFinalizers(set: ResourceSet, finalizers: readonly string[], signal: AbortSignal): Promise<void>;
  writeStatus(set: ResourceSet, status: SetStatus, signal: AbortSignal): Promise<void>;
}

export interface Clusters {
  get(key: NamespacedName): Cluster | undefined;
  inNamespace(namespace: string): readonly Cluster[];
}

/** Same guarantees as `ResourceSets`. */
export interface Bindings {
  get(key: NamespacedName): Binding | undefined;
  inNamespace(namespace: string): readonly Binding[];
  /** Reads from the server, after a conflict. */
  reread(key: NamespacedName, signal: AbortSignal): Promise<Binding | undefined>;
  create(key: NamespacedName, content: BindingContent, signal: AbortSignal): Promise<void>;
  update(binding: Binding, content: BindingContent, signal: AbortSignal): Promise<void>;
  /** Succeeds if the binding is already gone. */
  delete(binding: Binding, signal: AbortSignal): Promise<void>;
}

/** A ConfigMap or Secret that exists and may be applied. */
export interface FoundResource extends ResourceRef, NamespacedName {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owners: readonly Owner[];
  /** Hash of its content; undefined if it has no content. */
  readonly hash: string | undefined;
}

export type ResourceReading =
  | { readonly kind: 'found'; readonly resource: FoundResource }
  | { readonly kind: 'missing' }
  | { readonly kind: 'wrong-type' };

/** Parsed content, and the hash of exactly that content. */
export interface ResourceContent {
  readonly hash: string;
  readonly manifest: Manifest;
}

export interface Resources {
  /** The cached resource, if it may be applied. */
  peek(namespace: string, ref: ResourceRef): FoundResource | undefined;
  /** Reads from the cache; a resource that is not cached may be requested from the server. */
  read(namespace: string, ref: ResourceRef, signal: AbortSignal): Promise<ResourceReading>;
  /** Concurrent callers share one read. The resource must have content. */
  content(resource: FoundResource, signal: AbortSignal): Promise<ResourceContent>;
  /** Throws `CONFLICT` if the resource changed since it was read. */
  setOwners(resource: FoundResource, owners: readonly Owner[], signal: AbortSignal): Promise<void>;
}

export interface WorkloadClusters {
  /** Throws `CLUSTER_UNREACHABLE`, with a message for users. */
  connect(cluster: Cluster, signal: AbortSignal): Promise<WorkloadApi>;
}

/** An object of a cluster after a write. */
export interface Written {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Whether it has a status, which others update all the time. */
  readonly hasStatus: boolean;
}

/**
 * The API of one cluster. A refusal throws `OBJECT_NOT_APPLIED` with the server's message; no answer throws
 * `CLUSTER_UNREACHABLE`.
 */
export interface WorkloadApi {
  get(object: ManifestObject, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** `undefined` if an object of this name already exists. */
  create(object: ManifestObject, signal: AbortSignal): Promise<Written | undefined>;
  patch(object: ManifestObject, patch: JsonObject, signal: AbortSignal): Promise<Written>;
  apply(object: ManifestObject, signal: AbortSignal): Promise<Written>;
  /**
   * Replaces the object by the manifest if it has this version. `undefined` if the version changed, the object is gone,
   * or the server refuses the replace: the caller then reads and patches it.
   */
  replace(object: ManifestObject, resourceVersion: string, signal: AbortSignal): Promise<Written | undefined>;
  /** Deletes only the object with this uid. Succeeds if it is already gone. */
  delete(item: InventoryItem & { readonly uid: string }, signal: AbortSignal): Promise<void>;
}

/** Objects that a set created in a cluster, for pruning. */
export interface Inventories {
  read(set: ResourceSet, cluster: Cluster, signal: AbortSignal): Promise<ResourceSetInventory>;
  write(set: ResourceSet, cluster: Cluster, inventory: ResourceSetInventory, signal: AbortSignal): Promise<void>;
  delete(set: ResourceSet, clusterName: string, signal: AbortSignal): Promise<void>;
}

/** When to reconcile a key again. */
export type Next =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly afterMs: number }
  /** With growing backoff. */
  | { readonly kind: 'retry' };

export const DONE: Next = { kind: 'done' };
