import type { JsonObject } from '#kit/std';
import type { Binding, BindingContent, Owner } from '../domain/binding.ts';
import type { Cluster } from '../domain/cluster.ts';
import type { InventoryItem, ResourceSetInventory } from '../domain/inventory.ts';
import type { Manifest, ManifestObject } from '../domain/manifest.ts';
import type { NamespacedName, ResourceRef, ResourceSet } from '../domain/resource-set.ts';
import type { SetStatus } from '../domain/set-status.ts';

/**
 * What there is on the management cluster, from a copy that follows it: nothing is asked for. It is never older than what was
 * written through here. Writes are of what was read: when that has changed meanwhile they throw `CONFLICT`.
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

/** As `ResourceSets`. */
export interface Bindings {
  get(key: NamespacedName): Binding | undefined;
  inNamespace(namespace: string): readonly Binding[];
  /** From the server, for after a conflict. */
  reread(key: NamespacedName, signal: AbortSignal): Promise<Binding | undefined>;
  create(key: NamespacedName, content: BindingContent, signal: AbortSignal): Promise<void>;
  update(binding: Binding, content: BindingContent, signal: AbortSignal): Promise<void>;
  /** One that is gone already counts as deleted. */
  delete(binding: Binding, signal: AbortSignal): Promise<void>;
}

/** A ConfigMap or Secret that is there and may be applied. */
export interface FoundResource extends ResourceRef, NamespacedName {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owners: readonly Owner[];
  /** Of its content; undefined when it has none at all. */
  readonly hash: string | undefined;
}

export type ResourceReading =
  | { readonly kind: 'found'; readonly resource: FoundResource }
  | { readonly kind: 'missing' }
  | { readonly kind: 'wrong-type' };

/** What was read, and the hash of just that. */
export interface ResourceContent {
  readonly hash: string;
  readonly manifest: Manifest;
}

export interface Resources {
  /** What the copy has of it, if it may be applied. */
  peek(namespace: string, ref: ResourceRef): FoundResource | undefined;
  /** From a copy, but that one which is not in it may be asked for. */
  read(namespace: string, ref: ResourceRef, signal: AbortSignal): Promise<ResourceReading>;
  /** The same for all who ask at once. Of a resource that has content. */
  content(resource: FoundResource, signal: AbortSignal): Promise<ResourceContent>;
  /** Throws `CONFLICT` when it is not as it was read. */
  setOwners(resource: FoundResource, owners: readonly Owner[], signal: AbortSignal): Promise<void>;
}

export interface WorkloadClusters {
  /** Throws `CLUSTER_UNREACHABLE`, with a message for people. */
  connect(cluster: Cluster, signal: AbortSignal): Promise<WorkloadApi>;
}

/** An object of a cluster, after a write. */
export interface Written {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Whether it has something that others write into it as time goes by. */
  readonly hasStatus: boolean;
}

/**
 * The API of one cluster. What it refuses is `OBJECT_NOT_APPLIED` with the server's words; when it does not answer,
 * `CLUSTER_UNREACHABLE`.
 */
export interface WorkloadApi {
  get(object: ManifestObject, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** `undefined` when one of its name is there already. */
  create(object: ManifestObject, signal: AbortSignal): Promise<Written | undefined>;
  patch(object: ManifestObject, patch: JsonObject, signal: AbortSignal): Promise<Written>;
  apply(object: ManifestObject, signal: AbortSignal): Promise<Written>;
  /**
   * Makes it what the manifest says, if it is of this version. `undefined` when it is another by now, or gone, or when the
   * server will not have it in this way: then one looks, and patches it.
   */
  replace(object: ManifestObject, resourceVersion: string, signal: AbortSignal): Promise<Written | undefined>;
  /** Just the one with this uid; gone is gone, whoever did it. */
  delete(item: InventoryItem & { readonly uid: string }, signal: AbortSignal): Promise<void>;
}

/** What was made by a set in a cluster, for what prunes. */
export interface Inventories {
  read(set: ResourceSet, cluster: Cluster, signal: AbortSignal): Promise<ResourceSetInventory>;
  write(set: ResourceSet, cluster: Cluster, inventory: ResourceSetInventory, signal: AbortSignal): Promise<void>;
  delete(set: ResourceSet, clusterName: string, signal: AbortSignal): Promise<void>;
}

/** When to look at a key again. */
export type Next =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly afterMs: number }
  /** With waits that grow. */
  | { readonly kind: 'retry' };

export const DONE: Next = { kind: 'done' };
