export type { ContentsReader, DeleteObserver, MoveObserver, VisibleSet, WorkspacePlace } from './application/ports.ts';
export type { Contents } from './domain/delete-workspace.ts';
export type { MoveChange, WorkspaceMove } from './domain/move-workspace.ts';
export { workspaceNotFound } from './domain/workspace-error.ts';
export { WORKSPACE_EVENTS, type WorkspaceEventType } from './domain/workspace-event.ts';
