import type { ResourceName } from '#kit/std';
import { checkPlace, type Place } from './place.ts';
import { parentOf, pathOf, ROOT, type Workspace } from './workspace.ts';
import { WorkspaceError } from './workspace-error.ts';

/** What is below a workspace, and itself. */
export interface Subtree {
  /** Workspaces in it. */
  readonly size: number;
  /** Levels below its top. */
  readonly depth: number;
  readonly domains: number;
}

export interface Destination extends Place {
  readonly subtree: Subtree;
  readonly now: number;
}

/** A workspace that goes elsewhere, with all that is below it. */
export interface WorkspaceMove {
  readonly workspace: ResourceName;
  readonly from: ResourceName;
  readonly to: ResourceName;
  /** What every path in the subtree began with, and begins with now. */
  readonly fromPath: string;
  readonly toPath: string;
}

/** One thing that a move changes, for the person who decides on it. */
export interface MoveChange {
  /** For programs, one word: `parent`, `targets`. */
  readonly kind: string;
  /** For people: a whole sentence, the same for the same change. */
  readonly message: string;
  readonly from?: string;
  readonly to?: string;
  readonly count?: number;
}

/** The very same value when it is there already, so that nobody writes or announces it. */
export function moveWorkspace(workspace: Workspace, { parent, project, subtree, now }: Destination): Workspace {
  if (workspace.name === ROOT) {
    throw new WorkspaceError('ROOT_IS_FIXED', `Workspace ${ROOT} is above all others and cannot be moved.`);
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
 * DECISION: the change is told by the parents and not by the whole paths. Whoever may move a workspace from one parent to
 * another need not be allowed to see what stands above them, and a path would name it.
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
