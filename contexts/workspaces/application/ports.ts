import type { ResourceName, Uuid } from '#kit/std';
import type { Contents } from '../domain/delete-workspace.ts';
import type { MoveChange, Subtree, WorkspaceMove } from '../domain/move-workspace.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { WorkspaceEvent } from '../domain/workspace-event.ts';

/** Everything in it happens together or not at all, and what was read in it still holds when it ends. */
export interface UnitOfWork {
  readonly workspaces: WorkspaceStore;
  readonly tree: WorkspaceTree;
  readonly events: EventSink;
  /** What others keep in workspaces. */
  readonly contents: readonly ContentsReader[];
  /** Who else has to know of a move while it happens. */
  readonly moveObservers: readonly MoveObserver[];
  readonly deleteObservers: readonly DeleteObserver[];
}

/** The workspaces one by one, as one unit of work sees them, its own changes included. */
export interface WorkspaceStore {
  find(name: ResourceName, signal: AbortSignal): Promise<Workspace | undefined>;
  /** The workspaces directly in this one: how many, and the first of them by name. */
  childrenOf(name: ResourceName, limit: number, signal: AbortSignal): Promise<Children>;
  /** Its parent is there and its name is free: the caller has looked. */
  insert(workspace: Workspace, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is the version before this. Name, uid and place in the tree stay. */
  replace(next: Workspace, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is this very version. It has no children: the caller has looked. */
  remove(workspace: Workspace, signal: AbortSignal): Promise<void>;
}

/** What concerns more than one workspace. Each is one statement, however large the subtree. */
export interface WorkspaceTree {
  /** The Project that this workspace is, or is in. There is never more than one. */
  projectOf(workspace: Workspace, signal: AbortSignal): Promise<ResourceName | undefined>;
  domainOfSlug(slug: string, signal: AbortSignal): Promise<ResourceName | undefined>;
  subtreeOf(workspace: Workspace, signal: AbortSignal): Promise<Subtree>;
  /** All that is below goes with it, and is not changed otherwise. `VERSION_STALE` as for `replace`. */
  move(before: Workspace, next: Workspace, signal: AbortSignal): Promise<void>;
  /** Gives the Projects in a Domain its region. Those that had another, as they are now, in the order of their names. */
  passOnRegion(domain: Workspace, signal: AbortSignal): Promise<readonly Workspace[]>;
}

export interface Children {
  readonly count: number;
  readonly names: readonly ResourceName[];
}

/** Where a workspace stands, for those who keep things by the path of their workspace. */
export interface WorkspacePlace {
  readonly name: ResourceName;
  /** What the path of everything below it begins with, and of nothing else. It ends with a slash. */
  readonly path: string;
}

/** Somebody who keeps things in workspaces, and whose things are in the way of a delete. */
export interface ContentsReader {
  /** What is directly in the workspace: how many, and the first of them by name, at most so many. */
  contentsOf(workspace: WorkspacePlace, limit: number, signal: AbortSignal): Promise<Contents>;
}

/** Somebody who keeps something about a workspace that goes with it. */
export interface DeleteObserver {
  /** Called within the unit of the delete, a dry run included, when nothing is in the way of it any more. */
  deleted(
    workspace: { readonly name: ResourceName; readonly uid: Uuid; readonly now: number },
    signal: AbortSignal,
  ): Promise<void>;
}

/** Somebody whom a move concerns: who keeps paths of the tree, or knows what it changes for people. */
export interface MoveObserver {
  /**
   * Called within the unit of the move, a dry run included, when the tree has moved already. Writes down what has to be
   * true together with the move, and says what it changes; throws to refuse it. May be called again for the same move
   * in another unit.
   */
  moved(move: WorkspaceMove, signal: AbortSignal): Promise<readonly MoveChange[]>;
}

/** Takes down what happened, for everybody who wants to know. In order for each workspace; kept if the unit is. */
export interface EventSink {
  append(events: readonly WorkspaceEvent[], signal: AbortSignal): Promise<void>;
}

/** The tree as it was last committed. Never waits for a unit of work. */
export interface WorkspaceReader {
  find(name: ResourceName, signal: AbortSignal): Promise<Workspace | undefined>;
  /** In the order of their names. Fewer than the limit means that there are no more. */
  list(range: WorkspaceRange, signal: AbortSignal): Promise<readonly Workspace[]>;
}

export interface WorkspaceRange {
  /** Only those in this one: directly, or on any level. */
  readonly within: { readonly parent: ResourceName; readonly subtree: boolean } | undefined;
  readonly visible: VisibleSet;
  /** Only those whose names come later. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** What somebody may see: everything, or these subtrees. None of them is in another. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[] };

/** What the caller wants to be true of a workspace before it is changed; throws when it is not. */
export interface Precondition {
  check(current: Workspace): void;
}
