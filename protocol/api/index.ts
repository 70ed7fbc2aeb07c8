export {
  NewWorkspaceSchema,
  WorkspaceListQuerySchema,
  WorkspaceParamsSchema,
  WorkspacePatchSchema,
  type WorkspaceResource,
  WorkspaceSchema,
} from './workspace-schema.ts';
