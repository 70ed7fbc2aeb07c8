import type { Payload } from '#kit/durable';
import { DurableError } from '#kit/durable';

/** How a workflow reports a caught error to a test. */
export type Failure = { readonly code: string; readonly details: { readonly [key: string]: Payload } };

export function failureOf(error: unknown): Failure {
  if (!(error instanceof DurableError)) throw error;
  return { code: error.code, details: error.details as Failure['details'] };
}

export function codeOf(error: unknown): string {
  return failureOf(error).code;
}
