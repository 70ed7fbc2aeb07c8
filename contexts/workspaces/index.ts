export { WORKSPACE_EVENTS, type WorkspaceEventType } from './domain/workspace-event.ts';
