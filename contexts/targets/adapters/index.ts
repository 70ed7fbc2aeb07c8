export { type TargetRoutesDeps, targetRoutes } from './http-targets.ts';
export { TARGET_MIGRATIONS } from './migrations.ts';
export { movedProperties } from './moved-properties.ts';
export { registrationFacts } from './sql-identity-store.ts';
export { targetUnitOfWork } from './sql-unit-of-work.ts';
export { findTargetNode, type TargetNode, targetCounts, targetNodes } from './target-nodes.ts';
export { type PooledTarget, targetPool } from './target-pool.ts';
export { targetsInWorkspaces } from './targets-in-workspaces.ts';
