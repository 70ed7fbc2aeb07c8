import { FleetError } from '#kit/std';
import { DurableError } from './durable-error.ts';
import type { WorkflowFailure } from './engine.ts';

const MESSAGE_LENGTH = 4_000;

/** The stored form of an error: enough for decisions and diagnosis, but no stack or cause, which may hold secrets. */
export function toFailure(error: unknown): WorkflowFailure {
  if (error instanceof Error) return { code: codeOf(error), message: error.message.slice(0, MESSAGE_LENGTH) };
  return { code: 'Error', message: String(error).slice(0, MESSAGE_LENGTH) };
}

export function isNonRetryable(error: unknown): boolean {
  return error instanceof FleetError && error.entry.retry === 'never';
}

export interface FailedActivity extends WorkflowFailure {
  readonly activity: string;
  readonly attempts: number;
}

export function activityFailed({ activity, code, message, attempts }: FailedActivity): DurableError {
  return new DurableError('ACTIVITY_FAILED', `activity ${activity}: ${message}`, {
    details: { activity, code, message, attempts },
  });
}

export function workflowFailed(id: string, { code, message }: WorkflowFailure): DurableError {
  return new DurableError('WORKFLOW_FAILED', `workflow ${id}: ${message}`, { details: { code, message } });
}

export function workflowCancelled(id: string, reason: string): DurableError {
  return new DurableError('WORKFLOW_CANCELLED', `workflow ${id} was cancelled: ${reason}`, { details: { reason } });
}

function codeOf(error: Error): string {
  return error instanceof FleetError ? String(error.code) : error.name;
}
