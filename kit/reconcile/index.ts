export { RECONCILE_ERRORS, ReconcileError, type ReconcileErrorCode } from './reconcile-error.ts';
export { type Runnable, type RunnableGroup, runAll, runGroups, type SupervisorOptions } from './supervisor.ts';
