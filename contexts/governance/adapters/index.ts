export type { AuditScopes, AuditSubject } from './audit-scopes.ts';
export { type AuditTrail, type AuditTrailDeps, createAuditTrail } from './audit-trail.ts';
export { type AuditRoutesDeps, auditRoutes } from './http-audit.ts';
export { type UsageRoutesDeps, usageRoutes } from './http-usage.ts';
export { GOVERNANCE_MIGRATIONS } from './migrations.ts';
export { SqlChainStore } from './sql-chain-store.ts';
export { UsageRecorder, type UsageRecorderDeps } from './usage-recorder.ts';
export type { Visibility, VisibleSet, WorkspacePaths } from './visibility.ts';
