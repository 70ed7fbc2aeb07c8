import type { Payload } from '#kit/durable';
import { DurableError } from '#kit/durable';

/** What a workflow tells a test about an error that it caught. */
export type Failure = { readonly code: string; readonly details: { readonly [key: string]: Payload } };

export function failureOf(error: unknown): Failure {
  if (!(error instanceof DurableError)) throw error;
  return { code: error.code, details: error.details as Failure['details'] };
}

export function codeOf(error: unknown): string {
  return failureOf(error).code;
}
