export type { ContentsReader, MoveObserver, VisibleSet } from './application/ports.ts';
export type { MoveChange } from './domain/move-workspace.ts';
export { workspaceNotFound } from './domain/workspace-error.ts';
export { WORKSPACE_EVENTS } from './domain/workspace-event.ts';
