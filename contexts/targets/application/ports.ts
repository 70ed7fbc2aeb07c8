import type { ResourceName, Uuid } from '#kit/std';
import type { Target, TargetPlace } from '../domain/target.ts';
import type { TargetEvent } from '../domain/target-event.ts';

/** Everything in it happens together or not at all, and what was read in it still holds when it ends. */
export interface UnitOfWork {
  readonly targets: TargetStore;
  readonly connections: ConnectionStore;
  readonly workspaces: WorkspaceDirectory;
  readonly events: EventSink;
  readonly deleteObservers: readonly DeleteObserver[];
}

/** Somebody who keeps something about a target that goes with it. */
export interface DeleteObserver {
  /** Called within the unit of the delete, a dry run included. */
  deleted(
    target: { readonly uid: Uuid; readonly workspace: ResourceName; readonly now: number },
    signal: AbortSignal,
  ): Promise<void>;
}

/** The targets as one unit of work sees them, its own changes included. */
export interface TargetStore {
  find(name: ResourceName, signal: AbortSignal): Promise<Target | undefined>;
  /** Its name is free and its workspace is there: the caller has looked. */
  insert(target: Target, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is the version before this. Name, uid and type stay. */
  replace(next: Target, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is this very version. */
  remove(target: Target, signal: AbortSignal): Promise<void>;
}

/** For many targets at once: sessions come and go by the thousand when a network does. */
export interface ConnectionStore {
  /** Those of them that are there, in no order. */
  findAll(names: readonly ResourceName[], signal: AbortSignal): Promise<readonly Target[]>;
  /** Those that are connected, in the order of their names. Fewer than the limit means that there are no more. */
  connected(range: ConnectedRange, signal: AbortSignal): Promise<readonly Target[]>;
  /** Writes connection, version and time of each, in one statement. `VERSION_STALE` as for `replace`. */
  replaceAll(next: readonly Target[], signal: AbortSignal): Promise<void>;
}

export interface ConnectedRange {
  /** Only those whose names come later. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The workspaces, as far as targets are concerned. */
export interface WorkspaceDirectory {
  /** Those of them that are there, in no order. */
  places(names: readonly string[], signal: AbortSignal): Promise<readonly TargetPlace[]>;
}

/** Takes down what happened, for everybody who wants to know. In order for each target; kept if the unit is. */
export interface EventSink {
  append(events: readonly TargetEvent[], now: number, signal: AbortSignal): Promise<void>;
}

/** The target types that addons have registered, beside the built-in ones. */
export interface AddonTypes {
  has(type: ResourceName, signal: AbortSignal): Promise<boolean>;
}

/** The targets as they were last committed. Never waits for a unit of work. */
export interface TargetReader {
  find(name: ResourceName, signal: AbortSignal): Promise<Target | undefined>;
  /** In the order of their names. Fewer than the limit means that there are no more. */
  list(range: TargetRange, signal: AbortSignal): Promise<readonly Target[]>;
}

export interface TargetRange {
  /** Only those in this workspace: directly, or on any level. */
  readonly within: { readonly workspace: ResourceName; readonly subtree: boolean } | undefined;
  readonly type: string | undefined;
  readonly visible: VisibleSet;
  /** Only those whose names come later. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** What somebody may see: everything, or what is in these subtrees, none of which is in another, and these targets. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[]; readonly targets: readonly string[] };

/** What the caller wants to be true of a target before it is changed; throws when it is not. */
export interface Precondition {
  check(current: Target): void;
}
