export {
  type AccessExplanationResource,
  AccessExplanationSchema,
  type AccessReasonResource,
  AccessVerdictSchema,
  CheckAccessSchema,
  ExplainAccessSchema,
  GrantListQuerySchema,
  type GrantResource,
  GrantSchema,
  type IdentityResource,
  IdentitySchema,
  LookupPermissionsSchema,
  LookupSubjectsSchema,
  NewGrantSchema,
  PermissionSchemaParamsSchema,
  type PermissionSchemaResource,
  PermissionSchemaSchema,
  type PermittedResourceResource,
  PermittedResourcesSchema,
  PermittedSubjectsSchema,
  PutPermissionSchemaSchema,
  TargetGrantParamsSchema,
  TargetGrantsParamsSchema,
  WorkspaceGrantParamsSchema,
  WorkspaceGrantsParamsSchema,
} from './access-schema.ts';
export {
  ApprovalParamsSchema,
  type ApprovalResource,
  ApprovalSchema,
  ApprovalsParamsSchema,
  ApproveSchema,
  RejectSchema,
} from './approval-schema.ts';
export {
  AUDIT_FAULT_NAMES,
  AUDIT_OUTCOME_NAMES,
  type AuditEntryResource,
  AuditEntrySchema,
  AuditHeadsSchema,
  AuditListQuerySchema,
  AuditPageSchema,
  type AuditVerificationResource,
  AuditVerificationSchema,
  VerifyAuditSchema,
} from './audit-schema.ts';
export {
  BootstrapTokenParamsSchema,
  type BootstrapTokenResource,
  BootstrapTokenSchema,
  BootstrapTokensParamsSchema,
  MintedBootstrapTokenSchema,
  NewBootstrapTokenSchema,
} from './bootstrap-token-schema.ts';
export {
  CertificateAuthoritiesSchema,
  type CertificateAuthorityResource,
  RotateAuthoritySchema,
} from './certificate-authority-schema.ts';
export {
  DeadLetterPageSchema,
  DeadLetterParamsSchema,
  type DeadLetterResource,
  DeadLetterSchema,
} from './dead-letter-schema.ts';
export { DEPLOYMENT_EVENTS } from './deployment-events.ts';
export {
  AcceptRevisionSchema,
  ConfirmRemovalSchema,
  DeploymentDraftSchema,
  DeploymentListQuerySchema,
  DeploymentParamsSchema,
  DeploymentPatchSchema,
  type DeploymentResource,
  DeploymentSchema,
  DeploymentsParamsSchema,
  NewDeploymentSchema,
  RetrySchema,
  RollbackSchema,
} from './deployment-schema.ts';
export {
  type DeploymentStatusResource,
  type DeploymentTargetResource,
  DeploymentTargetSchema,
} from './deployment-status-schema.ts';
export type { TargetDiffResource } from './diff-schema.ts';
export { EnrolledSchema, EnrollSchema, RenewCertificateSchema } from './enrolment-schema.ts';
export { BindTargetSchema, FleetletParamsSchema, type FleetletResource, FleetletSchema } from './fleetlet-schema.ts';
export { type DeploymentGroupStatusResource, DeploymentGroupStatusSchema } from './group-schema.ts';
export {
  IssuerParamsSchema,
  IssuerPatchSchema,
  type IssuerResource,
  IssuerSchema,
  LoginCallbackQuerySchema,
  type LoginChoicesResource,
  LoginChoicesSchema,
  LoginQuerySchema,
  NewIssuerSchema,
  RedeemedLoginSchema,
  RedeemLoginSchema,
  RevokedSessionsSchema,
  RevokeSessionsSchema,
  SessionParamsSchema,
  type SessionResource,
  SessionSchema,
} from './identity-schema.ts';
export {
  type IndexedObjectResource,
  IndexedObjectSchema,
  IndexedObjectsQuerySchema,
  IndexSchemaParamsSchema,
  type IndexSchemaResource,
  IndexSchemaSchema,
  type PutIndexSchema,
  PutIndexSchemaSchema,
  type TargetIndexResource,
  TargetIndexSchema,
  WorkspaceIndexSchemaParamsSchema,
  WorkspaceIndexSchemasParamsSchema,
} from './index-schema-schema.ts';
export { type InstanceResource, InstanceSchema, RestoreAcceptanceSchema } from './instance-schema.ts';
export {
  PutTargetKubeconfigSchema,
  type TargetKubeconfigResource,
  TargetKubeconfigSchema,
} from './kubeconfig-schema.ts';
export {
  PutTargetPassthroughSchema,
  type TargetPassthroughResource,
  TargetPassthroughSchema,
} from './passthrough-schema.ts';
export { PreviewQuerySchema, type PreviewResource, PreviewSchema } from './preview-schema.ts';
export { ReplicaPageSchema, type ReplicaResource, ReplicaSchema } from './replica-schema.ts';
export {
  RevisionDiffQuerySchema,
  type RevisionDiffResource,
  RevisionDiffSchema,
  RevisionParamsSchema,
  type RevisionResource,
  RevisionSchema,
  type RevisionSummaryResource,
  RevisionSummarySchema,
  type TimelineEntryResource,
  TimelineEntrySchema,
  TimelineQuerySchema,
} from './revision-schema.ts';
export {
  PutScoreSchema,
  ScoreParamsSchema,
  type ScoreResource,
  ScoreSchema,
  ScoresParamsSchema,
} from './score-schema.ts';
export {
  MintedTokenSchema,
  NewServiceAccountSchema,
  NewTokenSchema,
  RotateTokenSchema,
  ServiceAccountListParamsSchema,
  ServiceAccountParamsSchema,
  ServiceAccountPatchSchema,
  type ServiceAccountResource,
  ServiceAccountSchema,
  type ServiceAccountTokenResource,
  TOKEN_ROLES,
  TokenParamsSchema,
  TokenSchema,
} from './service-account-schema.ts';
export {
  AssignTargetSchema,
  DeleteTargetQuerySchema,
  MergeTargetSchema,
  NewTargetSchema,
  TargetListQuerySchema,
  TargetParamsSchema,
  TargetPatchSchema,
  type TargetResource,
  TargetSchema,
} from './target-schema.ts';
export { UsageQuerySchema, type UsageResource, UsageSchema } from './usage-schema.ts';
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
  MovedWorkspaceSchema,
  MoveWorkspaceSchema,
  NewWorkspaceSchema,
  WorkspaceListQuerySchema,
  WorkspaceParamsSchema,
  WorkspacePatchSchema,
  type WorkspaceResource,
  WorkspaceSchema,
} from './workspace-schema.ts';
