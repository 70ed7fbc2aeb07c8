import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { ApiStatus } from '../domain/api-status.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import type { RuleEvaluator } from '../domain/health/judge-health.ts';
import type { ObjectEvent } from '../domain/health/object-health.ts';
import type { ApplySetInventory } from '../domain/inventory.ts';
import type { KubeObject, ObjectKey } from '../domain/kube-object.ts';
import type { KubernetesError } from '../domain/kubernetes-error.ts';
import type { AcceptedOrder, OrderFacts } from '../domain/order.ts';
import type { OwnPlace } from '../domain/own-place.ts';
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
  /** Of every version that is served, by `apiVersion/kind`. As it was asked for last, unless it has to be `fresh`. */
  scopes(options: { readonly fresh: boolean }, signal: AbortSignal): Promise<ReadonlyMap<string, Scope>>;
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

/** An object as it was last heard of. */
export interface Sighting {
  /** For judging health by: without what only takes memory. */
  readonly object: KubeObject;
  /** Of our fields. */
  readonly held: string;
}

export type KindRef = Pick<ObjectKey, 'apiVersion' | 'kind'>;

export interface FollowedKind extends KindRef {
  /** Somebody has rules about objects of it: they are kept whole. */
  readonly isWhole: boolean;
}

/** Follows objects that carry the tracking label, and the Pods and events that belong to them. Nothing here asks the server. */
export interface ClusterWatch {
  /** Which kinds there are objects of. Others are let go. */
  follow(kinds: readonly FollowedKind[]): void;
  /** Whether all objects of the kind are known. */
  isSynced(kind: KindRef): boolean;
  /** `undefined` when there is none, or its kind is not known yet. */
  sighting(key: ObjectKey): Sighting | undefined;
  /** As far as they are known now. */
  belongings(key: ObjectKey): { readonly pods: readonly KubeObject[]; readonly events: readonly ObjectEvent[] };
  /** Until the signal aborts; throws nothing but its reason. Resumes by itself. */
  run(listener: WatchListener, signal: AbortSignal): Promise<void>;
}

export interface WatchListener {
  /** Something of a deployment is not as it was: an object, what belongs to one, or how much is known. It returns at once. */
  readonly changed: (deployment: string) => void;
  /** All objects of a kind are known now. */
  readonly synced: () => void;
  /** What of an object does not count as ours; asked for each object that comes. */
  readonly patternsFor: (deployment: string, object: KubeObject) => readonly FieldPattern[];
}

/** What could be read, and what could not: one record that is torn is the trouble of its deployment only. */
export interface Kept<T> {
  readonly records: readonly T[];
  readonly torn: readonly { readonly deployment: string; readonly error: KubernetesError }[];
}

/** Inventories are kept in the cluster, so that whichever agent comes next finds them. */
export interface InventoryStore {
  /** Of all deployments. What does not make a whole is torn, never an absence. */
  all(signal: AbortSignal): Promise<Kept<ApplySetInventory>>;
  /**
   * Durable when it resolves, and whole or as it was before if it does not. `RECORD_CHANGED` when somebody else wrote it
   * since this one read it: then it is to be read anew.
   */
  save(inventory: ApplySetInventory, signal: AbortSignal): Promise<void>;
}

/** The last accepted order of each deployment, in the cluster. It stays there once it is done: drift and repair need it. */
export interface OrderStore {
  all(signal: AbortSignal): Promise<Kept<OrderFacts>>;
  /** With its documents. */
  read(deployment: string, signal: AbortSignal): Promise<AcceptedOrder | undefined>;
  /** As an inventory is. */
  save(order: AcceptedOrder, signal: AbortSignal): Promise<void>;
  remove(deployment: string, signal: AbortSignal): Promise<void>;
}

/** Where it is told what becomes of orders. Resolves once somebody has heard it. */
export interface Reports {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
  /** Unasked, when a cluster turns out to be another installation than it was. */
  inventory(accounts: readonly Inventory[], signal: AbortSignal): Promise<void>;
}

/** One cluster, with all that is needed to serve it. */
export interface ClusterPorts {
  /** Of the installation: the uid of `kube-system`. */
  readonly instance: string;
  readonly api: ClusterApi;
  readonly discovery: Discovery;
  readonly inventories: InventoryStore;
  readonly orders: OrderStore;
  readonly watch: ClusterWatch;
  readonly evaluate: RuleEvaluator;
  /** The agent's own part of the cluster; missing where it keeps nothing there. */
  readonly own?: OwnPlace;
}
