import assert from 'node:assert/strict';
import type { JsonSchema, OpenapiDocument, Operation } from '#testing/openapi/api-description';
import { smallestValues } from '#testing/openapi/small-values';
import type { PlatformRequest } from '#testing/platform-process';
import { OPERATION_CASES, type Place } from './operation-cases.ts';

export interface Attempt {
  /** Includes the query. */
  readonly path: string;
  readonly init: PlatformRequest;
}

export type Attempts = (operation: Operation, place: Place) => Attempt;

/**
 * Builds valid requests from the API description and the operation's case. They are dry runs where the operation allows
 * it: one caller's request must not change what the next caller finds.
 */
export function attemptsOf(document: OpenapiDocument): Attempts {
  const smallest = smallestValues(document);
  return (operation, place) => attemptAt(operation, place, smallest);
}

function attemptAt(operation: Operation, place: Place, smallest: (schema: JsonSchema) => unknown): Attempt {
  const { id, method, body: content, parameters } = operation;
  const tried = OPERATION_CASES[id] ?? {};
  const params = { ...place.params, ...tried.params?.(place) };
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => params[name] ?? assert.fail(name));
  const query = parameters.some(({ name }) => name === 'dryRun') ? '?dryRun=true' : '';
  const [{ schema = {} } = {}] = Object.values(content ?? {});
  const body = content && { ...(smallest(schema) as object), ...tried.body?.(place) };
  return { path: `${path}${query}`, init: { method, ...(body === undefined ? {} : { body }) } };
}
