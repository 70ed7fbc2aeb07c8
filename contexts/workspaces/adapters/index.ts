export { type WorkspaceRoutesDeps, workspaceRoutes } from './http-workspaces.ts';
export { WORKSPACE_MIGRATIONS } from './migrations.ts';
export {
  findWorkspaceNode,
  type WorkspaceNode,
  workspaceNodes,
  workspacePlaces,
  workspacePolicies,
} from './workspace-nodes.ts';
