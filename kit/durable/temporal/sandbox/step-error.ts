import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import type { WorkflowFailure } from '../../engine.ts';
import { activityFailed, workflowCancelled, workflowFailed } from '../../failure.ts';

/** The error that a workflow gets for an activity that was given up. */
export function activityError(activity: string, error: unknown): unknown {
  if (!(error instanceof ActivityFailure)) return error;
  return activityFailed({ activity, ...failureOf(error.cause), attempts: attemptsOf(error.cause) });
}

/** The error that a workflow gets for a child that did not complete. */
export function childError(id: string, error: unknown): unknown {
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return workflowFailed(id, { code: 'WORKFLOW_EXISTS', message: `there is a workflow ${id} already` });
  }
  if (!(error instanceof ChildWorkflowFailure)) return error;
  // Temporal does not tell a parent why its child was cancelled.
  if (error.cause instanceof CancelledFailure) return workflowCancelled(id, '');
  return workflowFailed(id, failureOf(error.cause));
}

function failureOf(cause: Error | undefined): WorkflowFailure {
  if (cause instanceof ApplicationFailure) return { code: cause.type ?? 'Error', message: cause.message };
  if (cause instanceof TimeoutFailure) return { code: 'TIMED_OUT', message: cause.message };
  return { code: cause?.name ?? 'Error', message: cause?.message ?? '' };
}

/** The worker counts the attempts, and sends the count with the final failure. */
function attemptsOf(cause: Error | undefined): number {
  const attempts: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return typeof attempts === 'number' ? attempts : 1;
}
