export { type WorkspaceRoutesDeps, workspaceRoutes } from './http-workspaces.ts';
export { WORKSPACE_MIGRATIONS } from './migrations.ts';
export type { Visibility } from './visibility.ts';
export { findWorkspaceNode, type WorkspaceNode, workspaceNodes } from './workspace-nodes.ts';
export { workspacePlaces } from './workspace-places.ts';
export { workspacePolicies } from './workspace-policies.ts';
