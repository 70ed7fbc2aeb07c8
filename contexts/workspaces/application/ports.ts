import type { EventSink, ResourceName, Uuid } from '#kit/std';
import type { Contents } from '../domain/delete-workspace.ts';
import type { MoveChange, Subtree, WorkspaceMove } from '../domain/move-workspace.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { WorkspaceEvent } from '../domain/workspace-event.ts';

/** One transaction: all or nothing, and everything that was read in it still holds when it commits. */
export interface UnitOfWork {
  readonly workspaces: WorkspaceStore;
  readonly tree: WorkspaceTree;
  readonly events: EventSink<WorkspaceEvent>;
  /** Readers of what other contexts keep in workspaces. */
  readonly contents: readonly ContentsReader[];
  /** Contexts that have to follow a move in its transaction. */
  readonly moveObservers: readonly MoveObserver[];
  readonly deleteObservers: readonly DeleteObserver[];
}

/** Single workspaces within one unit of work, including its own changes. */
export interface WorkspaceStore {
  find(name: ResourceName, signal: AbortSignal): Promise<Workspace | undefined>;
  /** The workspaces directly in this one: how many, and the first of them by name. */
  childrenOf(name: ResourceName, limit: number, signal: AbortSignal): Promise<Children>;
  /** The caller has checked that the parent exists and the name is free. */
  insert(workspace: Workspace, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored workspace has the previous version. Name, uid and place in the tree stay the same. */
  replace(next: Workspace, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored workspace has exactly this version. The caller has checked that it has no children. */
  remove(workspace: Workspace, signal: AbortSignal): Promise<void>;
}

/** Operations on several workspaces. Each is one statement, however large the subtree. */
export interface WorkspaceTree {
  /** The Project that this workspace is, or is in. There is never more than one. */
  projectOf(workspace: Workspace, signal: AbortSignal): Promise<ResourceName | undefined>;
  domainOfSlug(slug: string, signal: AbortSignal): Promise<ResourceName | undefined>;
  subtreeOf(workspace: Workspace, signal: AbortSignal): Promise<Subtree>;
  /** Moves the whole subtree, which otherwise stays unchanged. `VERSION_STALE` as for `replace`. */
  move(before: Workspace, next: Workspace, signal: AbortSignal): Promise<void>;
  /** Copies a Domain's region to its Projects. Returns the Projects that had another one, after the change, ordered by name. */
  passOnRegion(domain: Workspace, signal: AbortSignal): Promise<readonly Workspace[]>;
}

export interface Children {
  readonly count: number;
  readonly names: readonly ResourceName[];
}

/** A workspace and its path, for contexts that store things by the path of their workspace. */
export interface WorkspacePlace {
  readonly name: ResourceName;
  /** The path prefix of everything below it and of nothing else, with a trailing slash. */
  readonly path: string;
}

/** A context whose objects in a workspace block its deletion. */
export interface ContentsReader {
  /** The objects directly in the workspace: how many, and the first names, at most `limit`. */
  contentsOf(workspace: WorkspacePlace, limit: number, signal: AbortSignal): Promise<Contents>;
}

/** Keeps data about workspaces that has to be deleted with them. */
export interface DeleteObserver {
  /** Called within the unit of work of the delete, also for a dry run, once nothing blocks it any more. */
  deleted(
    workspace: { readonly name: ResourceName; readonly uid: Uuid; readonly now: number },
    signal: AbortSignal,
  ): Promise<void>;
}

/** A context that a move affects: it stores paths of the tree, or knows what the move changes for users. */
export interface MoveObserver {
  /**
   * Called within the unit of work of the move, also for a dry run, after the tree has moved. Writes what has to change
   * together with the move and returns what it changes; throws to refuse the move. May be called again for the same move in
   * another unit of work.
   */
  moved(move: WorkspaceMove, signal: AbortSignal): Promise<readonly MoveChange[]>;
}

/** The latest committed tree. Never waits for a unit of work. */
export interface WorkspaceReader {
  find(name: ResourceName, signal: AbortSignal): Promise<Workspace | undefined>;
  /** Ordered by name. Fewer than the limit means that there are no more. */
  list(range: WorkspaceRange, signal: AbortSignal): Promise<readonly Workspace[]>;
}

export interface WorkspaceRange {
  /** Only workspaces in this one: directly, or at any level. */
  readonly within: { readonly parent: ResourceName; readonly subtree: boolean } | undefined;
  readonly visible: VisibleSet;
  /** Only names after this one. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The set that a principal may see: everything, or these subtrees. None of them is inside another. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[] };
