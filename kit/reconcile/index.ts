export { type AddOptions, KeyedQueue, type KeyedQueueOptions, type QueueObserver } from './keyed-queue.ts';
export { monotonicClock } from './monotonic-clock.ts';
export { type Priority } from './ready-lanes.ts';
export { type ReconcileErrorCode } from './reconcile-error.ts';
export { BACK_OFF, DONE, type Result, requeueAfter } from './result.ts';
export { createResync, type ResyncOptions } from './resync.ts';
export type { RetryPolicy } from './retry-pace.ts';
export { type Runnable, type RunnableGroup, runAll, runGroups, type SupervisorOptions } from './supervisor.ts';
export {
  createWorkers,
  type Outcome,
  type Reconcile,
  type WorkersObserver,
  type WorkersOptions,
} from './workers.ts';
