export {
  type Activity,
  type ActivityEnvironment,
  type ActivityImplementation,
  type ActivityOptions,
  DEFAULT_ACTIVITY_OPTIONS,
  defineActivity,
  implementActivity,
  type Payload,
  type RetryPolicy,
} from './activity.ts';
export { DURABLE_ERRORS, DurableError, type DurableErrorCode } from './durable-error.ts';
export {
  type DurableEngine,
  type Registry,
  type SignalOptions,
  type SignalWithStartOptions,
  type StartOptions,
  type WaitingFor,
  WORKFLOW_STATUSES,
  type WorkflowClient,
  type WorkflowDescription,
  type WorkflowFailure,
  type WorkflowQuery,
  type WorkflowStatus,
  type WorkflowSummary,
} from './engine.ts';
export { type FanOutOptions, fanOut, type KeyOutcome } from './fan-out.ts';
export { HISTORY_KINDS, type HistoryEntry, type HistoryKind } from './history.ts';
export { LIMITS } from './limits.ts';
export type { ChildOptions, WorkflowContext } from './workflow.ts';
export { type AnyWorkflow, defineWorkflow, type Workflow } from './workflow.ts';
