import type { ResourceName } from '#kit/std';
import { checkPlace, type Place } from './place.ts';
import { parentOf, pathOf, ROOT, type Workspace } from './workspace.ts';
import { WorkspaceError } from './workspace-error.ts';

/** A workspace and everything below it. */
export interface Subtree {
  /** Number of workspaces in it. */
  readonly size: number;
  /** Levels below its top. */
  readonly depth: number;
  readonly domains: number;
}

export interface Destination extends Place {
  readonly subtree: Subtree;
  readonly now: number;
}

/** The move of a workspace with its subtree. */
export interface WorkspaceMove {
  readonly workspace: ResourceName;
  readonly from: ResourceName;
  readonly to: ResourceName;
  /** The prefix of every path in the subtree, before and after the move. */
  readonly fromPath: string;
  readonly toPath: string;
}

/** One effect of a move, for the user who decides on it. */
export interface MoveChange {
  /** One word for programs: `parent`, `targets`. */
  readonly kind: string;
  /** A sentence for people, the same for the same change. */
  readonly message: string;
  readonly from?: string;
  readonly to?: string;
  readonly count?: number;
}

/** Returns the same object when it is there already, so that nothing is written or announced. */
export function moveWorkspace(workspace: Workspace, { parent, project, subtree, now }: Destination): Workspace {
  if (workspace.name === ROOT) {
    throw new WorkspaceError('ROOT_IS_FIXED', `Workspace ${ROOT} is the root of the tree and cannot be moved.`);
  }
  if (parent.name === parentOf(workspace)) return workspace;
  if (pathOf(parent).startsWith(pathOf(workspace))) throw intoItself(workspace, parent);
  const { name, kind } = workspace;
  checkPlace({ name, kind, depth: subtree.depth, domains: subtree.domains }, { parent, project });
  return {
    ...workspace,
    ancestors: [...parent.ancestors, parent.name],
    region: kind === 'project' ? parent.region : workspace.region,
    generation: workspace.generation + 1,
    version: workspace.version + 1,
    updateTime: Math.max(now, workspace.updateTime),
  };
}

/**
 * DECISION: the change names the parents and not the full paths. A caller who may move a workspace from one parent to another
 * may not be allowed to see the workspaces above them, and a path would name these.
 */
export function changesOfMove(before: Workspace, after: Workspace, { size }: Subtree): MoveChange[] {
  const [from = '', to = ''] = [parentOf(before), parentOf(after)];
  const changes: MoveChange[] = [
    { kind: 'parent', message: `${before.name} moves from ${from} to ${to}.`, from, to },
    { kind: 'workspaces', message: `${size} ${size === 1 ? 'workspace moves' : 'workspaces move'}.`, count: size },
  ];
  if (before.region !== after.region) changes.push(regionChange(before, after));
  return changes;
}

function regionChange({ name, region: from }: Workspace, { region: to }: Workspace): MoveChange {
  return {
    kind: 'region',
    message: `The region of ${name} is its domain's: ${from ?? 'none'} before, ${to ?? 'none'} afterwards.`,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

function intoItself({ name }: Workspace, parent: Workspace): WorkspaceError {
  const message = parent.name === name ? 'is the workspace itself' : `is below ${name}`;
  return new WorkspaceError(
    'MOVE_INTO_ITSELF',
    `Workspace ${name} cannot be moved to ${parent.name}, which ${message}. Choose a parent elsewhere.`,
    { faults: [{ path: '/parent', message }] },
  );
}
