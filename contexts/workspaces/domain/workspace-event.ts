import type { ResourceName } from '#kit/std';
import type { Workspace } from './workspace.ts';

export const WORKSPACE_EVENTS = [
  'workspace.created',
  'workspace.updated',
  'workspace.moved',
  'workspace.deleted',
] as const;
export type WorkspaceEventType = (typeof WORKSPACE_EVENTS)[number];

/** Something that happened to a workspace. */
export interface WorkspaceEvent {
  readonly type: WorkspaceEventType;
  readonly time: number;
  /** As it is afterwards; as it was last, once it is deleted. */
  readonly workspace: Workspace;
  /** Of a move alone: the parent that it left. */
  readonly from?: ResourceName;
}
