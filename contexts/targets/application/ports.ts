import type { EventSink, ResourceName, Uuid } from '#kit/std';
import type { ClusterIdentity } from '../domain/cluster-identity.ts';
import type { Target, TargetPlace } from '../domain/target.ts';
import type { TargetEvent } from '../domain/target-event.ts';

/** One transaction: all or nothing, and everything that was read in it still holds when it commits. */
export interface UnitOfWork {
  readonly targets: TargetStore;
  readonly connections: ConnectionStore;
  readonly identities: IdentityStore;
  readonly workspaces: WorkspaceDirectory;
  readonly events: EventSink<TargetEvent>;
  readonly deleteObservers: readonly DeleteObserver[];
  readonly mergeObservers: readonly MergeObserver[];
}

/** Keeps data about targets that has to be deleted with them. */
export interface DeleteObserver {
  /** The deployments on the target, which would be left there: how many, and the first names, at most `limit`. */
  contentsOf?(target: { readonly uid: Uuid }, limit: number, signal: AbortSignal): Promise<TargetContents>;
  /** Called within the unit of work of the delete, also for a dry run. */
  deleted(
    target: { readonly uid: Uuid; readonly workspace: ResourceName; readonly now: number },
    signal: AbortSignal,
  ): Promise<void>;
}

export interface TargetContents {
  /** In the singular: `deployment`. */
  readonly kind: string;
  readonly count: number;
  readonly names: readonly string[];
}

/** Lets the fleetlets of a target serve the one that it is merged into. */
export interface MergeObserver {
  /** Called within the unit of work of the merge, also for a dry run. */
  merged(
    merge: { readonly uid: Uuid; readonly into: ResourceName; readonly now: number },
    signal: AbortSignal,
  ): Promise<void>;
}

/** The targets within one unit of work, including its own changes. */
export interface TargetStore {
  find(name: ResourceName, signal: AbortSignal): Promise<Target | undefined>;
  /** The caller has checked that the name is free and the workspace exists. */
  insert(target: Target, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored target has the previous version. Name, uid and type stay the same. */
  replace(next: Target, signal: AbortSignal): Promise<void>;
  /** Whether targets are aliases of this one. */
  hasAliases(name: ResourceName, signal: AbortSignal): Promise<boolean>;
  /** `VERSION_STALE` unless the stored target has exactly this version. */
  remove(target: Target, signal: AbortSignal): Promise<void>;
}

/** Identities of clusters, by uid of the target. They are deleted with the target. */
export interface IdentityStore {
  find(target: Uuid, signal: AbortSignal): Promise<ClusterIdentity>;
  /** Whether another target holds it. */
  isHeldByOther(target: Uuid, identity: string, signal: AbortSignal): Promise<boolean>;
  put(target: Uuid, identity: ClusterIdentity, signal: AbortSignal): Promise<void>;
}

/** For many targets at once: sessions come and go by the thousand when a network fails. */
export interface ConnectionStore {
  /** The existing ones among these, in any order. */
  findAll(names: readonly ResourceName[], signal: AbortSignal): Promise<readonly Target[]>;
  /** Connected targets, ordered by name. Fewer than the limit means that there are no more. */
  connected(range: ConnectedRange, signal: AbortSignal): Promise<readonly Target[]>;
  /** Writes connection, version and update time of each, in one statement. `VERSION_STALE` as for `replace`. */
  replaceAll(next: readonly Target[], signal: AbortSignal): Promise<void>;
}

export interface ConnectedRange {
  /** Only names after this one. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The workspaces, as far as targets need them. */
export interface WorkspaceDirectory {
  /** The existing ones among these, in any order. */
  places(names: readonly string[], signal: AbortSignal): Promise<readonly TargetPlace[]>;
}

/** Target types registered by addons, besides the built-in ones. */
export interface AddonTypes {
  has(type: ResourceName, signal: AbortSignal): Promise<boolean>;
}

/** The latest committed targets. Never waits for a unit of work. */
export interface TargetReader {
  find(name: ResourceName, signal: AbortSignal): Promise<Target | undefined>;
  /** Ordered by name. Fewer than the limit means that there are no more. */
  list(range: TargetRange, signal: AbortSignal): Promise<readonly Target[]>;
}

export interface TargetRange {
  /** Only targets in this workspace: directly, or at any level. */
  readonly within: { readonly workspace: ResourceName; readonly subtree: boolean } | undefined;
  readonly type: string | undefined;
  readonly visible: VisibleSet;
  /** Only names after this one. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The set that a principal may see: everything, or these subtrees (none of them inside another) and these targets. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[]; readonly targets: readonly string[] };
