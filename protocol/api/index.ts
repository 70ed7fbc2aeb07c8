export {
  CancelWorkflowSchema,
  WORKFLOW_STATUS_NAMES,
  WorkflowHistoryPageSchema,
  WorkflowHistoryQuerySchema,
  type WorkflowHistoryResource,
  WorkflowListQuerySchema,
  WorkflowPageSchema,
  WorkflowParamsSchema,
  WorkflowRequestSchema,
  type WorkflowResource,
  WorkflowSchema,
  type WorkflowStatusName,
  type WorkflowSummaryResource,
  type WorkflowWaitResource,
} from './workflow-schema.ts';
export {
  NewWorkspaceSchema,
  WorkspaceListQuerySchema,
  WorkspaceParamsSchema,
  WorkspacePatchSchema,
  type WorkspaceResource,
  WorkspaceSchema,
} from './workspace-schema.ts';
