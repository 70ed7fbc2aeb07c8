export { type WorkspaceRoutesDeps, workspaceRoutes } from './http-workspaces.ts';
export { WORKSPACE_MIGRATIONS } from './migrations.ts';
