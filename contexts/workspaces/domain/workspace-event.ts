import type { ResourceName } from '#kit/std';
import type { Workspace } from './workspace.ts';

export const WORKSPACE_EVENTS = [
  'workspace.created',
  'workspace.updated',
  'workspace.moved',
  'workspace.deleted',
] as const;
export type WorkspaceEventType = (typeof WORKSPACE_EVENTS)[number];

/** An event of a workspace. */
export interface WorkspaceEvent {
  readonly type: WorkspaceEventType;
  /** The state after the change; the last state once it is deleted. */
  readonly workspace: Workspace;
  /** Only for a move: the previous parent. */
  readonly from?: ResourceName;
}
