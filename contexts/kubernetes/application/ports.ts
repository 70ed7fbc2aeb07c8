import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { ApiStatus } from '../domain/api-status.ts';
import type { Scope } from '../domain/desired-objects.ts';
import type { FieldPattern } from '../domain/field-pattern.ts';
import type { RuleEvaluator } from '../domain/health/judge-health.ts';
import type { ObjectEvent } from '../domain/health/object-health.ts';
import type { OtherInventories } from '../domain/held-by-others.ts';
import type { ApplySetInventory } from '../domain/inventory.ts';
import type { KubeObject, ObjectKey } from '../domain/kube-object.ts';
import type { KubernetesError } from '../domain/kubernetes-error.ts';
import type { AcceptedOrder, OrderFacts } from '../domain/order.ts';
import type { OwnPlace } from '../domain/own-place.ts';

/**
 * Answer of the server to a write. A refusal is an answer; a throw means that the outcome is unknown and the write is
 * retried.
 */
export type WriteAnswer =
  | { readonly kind: 'done'; readonly object: KubeObject }
  /** The namespace or kind it needs does not exist yet: retry. */
  | { readonly kind: 'notYet'; readonly message: string }
  /** 409, 422 and other answers that would be the same on a retry. */
  | { readonly kind: 'refused'; readonly status: ApiStatus };

export interface ApplyOptions {
  /** Take over fields that others manage. */
  readonly force: boolean;
  /** Show the result without persisting it. */
  readonly dryRun: boolean;
}

/** The kinds that a cluster serves. */
export interface Discovery {
  /** Every served version, by `apiVersion/kind`. Cached unless `fresh`. */
  scopes(options: { readonly fresh: boolean }, signal: AbortSignal): Promise<ReadonlyMap<string, Scope>>;
  /** Identity of the installation: a rebuilt cluster has another one. */
  instance(signal: AbortSignal): Promise<string>;
}

/** One cluster, accessed as one identity with this agent's field manager. */
export interface ClusterApi {
  /** `undefined` if the object does not exist or the server does not know its kind. */
  get(key: ObjectKey, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** Server-side apply. */
  apply(object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<WriteAnswer>;
  /**
   * Deletes only the object that is meant. Returns the object as it is then, including its finalizers, or `undefined`
   * once it is gone; `changed` if it is another version of that object, which stays.
   */
  delete(key: ObjectKey, meant: MeantObject, signal: AbortSignal): Promise<KubeObject | 'changed' | undefined>;
}

export interface MeantObject {
  readonly uid: string;
  /** Whatever its version is, if absent. */
  readonly resourceVersion?: string | undefined;
}

/** An object as the watch last saw it. */
export interface ObservedObject {
  /** Enough to judge health; the rest is trimmed to save memory. */
  readonly object: KubeObject;
  /** Hash of the fields that we own. */
  readonly held: string;
}

export type KindRef = Pick<ObjectKey, 'apiVersion' | 'kind'>;

export interface FollowedKind extends KindRef {
  /** Some order has health rules for this kind, so its objects are kept whole. */
  readonly isWhole: boolean;
}

/**
 * Follows objects that carry the tracking label, and the Pods and events that belong to them. Sends no request when
 * read.
 */
export interface ClusterWatch {
  /** Sets the kinds to follow. All other kinds are dropped. */
  follow(kinds: readonly FollowedKind[]): void;
  /** Whether all objects of the kind are known. */
  isSynced(kind: KindRef): boolean;
  /** `undefined` if the object does not exist or its kind has not synced yet. */
  observedObject(key: ObjectKey): ObservedObject | undefined;
  /** As far as known now. */
  dependents(key: ObjectKey): { readonly pods: readonly KubeObject[]; readonly events: readonly ObjectEvent[] };
  /** Runs until the signal aborts; throws only its reason. Reconnects by itself. */
  run(listener: WatchListener, signal: AbortSignal): Promise<void>;
}

export interface WatchListener {
  /**
   * Something of the deployment changed: an object, a Pod or event that belongs to one, or how much is known. Returns
   * at once.
   */
  readonly changed: (deployment: string) => void;
  /** All objects of a kind are now known. */
  readonly synced: () => void;
  /** Fields of an object that do not count as ours; called for each object that arrives. */
  readonly patternsFor: (deployment: string, object: KubeObject) => readonly FieldPattern[];
}

/** Readable and unreadable records. An unreadable record affects only its own deployment. */
export interface StoredRecords<T> {
  readonly records: readonly T[];
  readonly corrupt: readonly { readonly deployment: string; readonly error: KubernetesError }[];
}

/** Inventories are stored in the cluster, so that the next agent finds them. */
export interface InventoryStore {
  /** Of all deployments. An incomplete record is reported as corrupt, never as missing. */
  all(signal: AbortSignal): Promise<StoredRecords<ApplySetInventory>>;
  /**
   * Durable when it resolves. If it fails, the record is either complete or unchanged. Throws `RECORD_CHANGED` if
   * another agent wrote the record since it was read; then it must be read again.
   */
  save(inventory: ApplySetInventory, signal: AbortSignal): Promise<void>;
  /**
   * Every inventory in the cluster as it is now, in all namespaces, but the one that this store keeps for the deployment.
   * Without the right to read Secrets elsewhere, those of this namespace.
   */
  others(deployment: string, signal: AbortSignal): Promise<OtherInventories>;
}

/**
 * The last accepted order of each deployment, stored in the cluster. It stays after completion, because drift detection
 * and repair need it.
 */
export interface OrderStore {
  all(signal: AbortSignal): Promise<StoredRecords<OrderFacts>>;
  /** Including its documents. */
  read(deployment: string, signal: AbortSignal): Promise<AcceptedOrder | undefined>;
  /** Same guarantees as `InventoryStore.save`. */
  save(order: AcceptedOrder, signal: AbortSignal): Promise<void>;
  remove(deployment: string, signal: AbortSignal): Promise<void>;
}

/** Receives the outcome of orders. Resolves once a report has been received. */
export interface Reports {
  report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void>;
  /** Unsolicited, when a cluster turns out to be a different installation. */
  inventory(accounts: readonly Inventory[], signal: AbortSignal): Promise<void>;
}

/** One cluster, with everything needed to serve it. */
export interface ClusterPorts {
  /** Identity of the installation: the uid of `kube-system`. */
  readonly instance: string;
  readonly api: ClusterApi;
  readonly discovery: Discovery;
  readonly inventories: InventoryStore;
  readonly orders: OrderStore;
  readonly watch: ClusterWatch;
  readonly evaluate: RuleEvaluator;
  /** The agent's own namespace and rights; absent if it stores nothing in the cluster. */
  readonly own?: OwnPlace;
}
