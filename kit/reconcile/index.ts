export { Controller, type ControllerObserver, type ControllerOptions, type Feed, type Wake } from './controller.ts';
export type { AddOptions, QueueObserver } from './keyed-queue.ts';
export { monotonicClock } from './monotonic-clock.ts';
export { type Priority } from './ready-lanes.ts';
export { type ReconcileErrorCode } from './reconcile-error.ts';
export { BACK_OFF, DONE, type Result, requeueAfter } from './result.ts';
export type { RetryPolicy } from './retry-pace.ts';
export { type Runnable, type RunnableGroup, runAll, runGroups, type SupervisorOptions } from './supervisor.ts';
export type { Outcome, Reconcile, WorkersObserver } from './workers.ts';
