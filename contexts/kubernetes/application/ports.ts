import type { ApiStatus } from '../domain/api-status.ts';
import type { ObjectEvent } from '../domain/health/object-health.ts';
import type { Inventory } from '../domain/inventory.ts';
import type { KubeObject, ObjectKey } from '../domain/kube-object.ts';
import type { Scope } from '../domain/wanted-objects.ts';

/** What the server made of a write. A refusal is an answer; a throw means that nobody knows, and is tried again. */
export type WriteAnswer =
  | { readonly kind: 'done'; readonly object: KubeObject }
  /** The namespace or kind that it needs is not there: to be tried again. */
  | { readonly kind: 'notYet'; readonly message: string }
  /** 409, 422 and other words that will be the same the next time. */
  | { readonly kind: 'refused'; readonly status: ApiStatus };

export interface ApplyOptions {
  /** Take fields that others manage. */
  readonly force: boolean;
  /** What would come of it; nothing is kept. */
  readonly dryRun: boolean;
}

/** The kinds that a cluster serves. */
export interface Discovery {
  /** Of every version that is served. Asked anew each time that something was missing. */
  scopes(signal: AbortSignal): Promise<ReadonlyMap<string, Scope>>;
  /** Of the installation: a cluster that was rebuilt has another. */
  instance(signal: AbortSignal): Promise<string>;
}

/** One cluster, as one identity, with the field manager of this agent. */
export interface ClusterApi {
  /** `undefined` when the server says that there is none, or that it does not know the kind. */
  get(key: ObjectKey, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** Server-side apply. */
  apply(object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<WriteAnswer>;
  /** Only the object with this uid. The object as it is then, with what holds it; `undefined` once it is gone. */
  delete(key: ObjectKey, uid: string, signal: AbortSignal): Promise<KubeObject | undefined>;
}

/** What is on its way to an object: from a cache that follows by watches. */
export type ObjectChange =
  | { readonly kind: 'is'; readonly key: ObjectKey; readonly object: KubeObject }
  | { readonly kind: 'gone'; readonly key: ObjectKey };

/** Follows objects that carry the tracking label, and the Pods and events that belong to them. */
export interface ClusterWatch {
  /** Every object once as it is, then each change in order. Ends with the signal; resumes by itself. */
  changes(kinds: readonly Pick<ObjectKey, 'apiVersion' | 'kind'>[], signal: AbortSignal): AsyncIterable<ObjectChange>;
  /** As far as they are known now. */
  belongings(key: ObjectKey): { readonly pods: readonly KubeObject[]; readonly events: readonly ObjectEvent[] };
}

/** Inventories are kept in the cluster, in chunks, so that whichever agent comes next finds them. */
export interface InventoryStore {
  /** Of all deployments. Chunks that do not make a whole are a `KubernetesError`, never an absence. */
  all(signal: AbortSignal): Promise<readonly Inventory[]>;
  /** Durable when it resolves, and whole or as it was before if it does not. One agent at a time serves a cluster. */
  save(inventory: Inventory, signal: AbortSignal): Promise<void>;
}
