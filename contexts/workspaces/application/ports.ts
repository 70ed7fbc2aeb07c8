import type { ResourceName } from '#kit/std';
import type { Workspace } from '../domain/workspace.ts';
import type { WorkspaceEvent } from '../domain/workspace-event.ts';

/** Everything in it happens together or not at all, and what was read in it still holds when it ends. */
export interface UnitOfWork {
  readonly workspaces: WorkspaceStore;
  readonly events: EventSink;
}

/** The tree as one unit of work sees it, its own changes included. */
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

export interface Children {
  readonly count: number;
  readonly names: readonly ResourceName[];
}

/** Takes down what happened, for everybody who wants to know. In order for each workspace; kept if the unit is. */
export interface EventSink {
  append(event: WorkspaceEvent, signal: AbortSignal): Promise<void>;
}

/** The tree as it was last committed. Never waits for a unit of work. */
export interface WorkspaceReader {
  find(name: ResourceName, signal: AbortSignal): Promise<Workspace | undefined>;
  /** In the order of their names. Fewer than the limit means that there are no more. */
  list(range: WorkspaceRange, signal: AbortSignal): Promise<readonly Workspace[]>;
}

export interface WorkspaceRange {
  /** Only those directly in this one. */
  readonly parent: ResourceName | undefined;
  /** Only those whose names come later. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** What the caller wants to be true of a workspace before it is changed; throws when it is not. */
export interface Precondition {
  check(current: Workspace): void;
}
