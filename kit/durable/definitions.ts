export {
  type Activity,
  type ActivityEnvironment,
  type ActivityImplementation,
  type ActivityOptions,
  DEFAULT_ACTIVITY_OPTIONS,
  defineActivity,
  implementActivity,
  type Json,
  type RetryPolicy,
} from './activity.ts';
export { type AnyWorkflow, defineWorkflow, type Workflow } from './workflow.ts';
