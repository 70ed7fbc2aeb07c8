import type { JsonObject } from '#kit/std';
import { WebhookError } from './webhook-error.ts';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads required fields of an untrusted body. Unknown fields are ignored: newer servers send more. */
export function objectAt(parent: JsonObject, field: string, path: string): JsonObject {
  const value = parent[field];
  if (isObject(value)) return value;
  throw fault(`${path}/${field}`, 'must be an object');
}

export function textAt(parent: JsonObject, field: string, path: string): string {
  const value = parent[field];
  if (typeof value === 'string' && value !== '') return value;
  throw fault(`${path}/${field}`, 'must be a non-empty string');
}

/** Go omits empty values, or sends them as null or an empty string. */
export function optionalText(parent: JsonObject, field: string, path: string): string | undefined {
  const value = parent[field];
  if (value === undefined || value === null || value === '') return undefined;
  return textAt(parent, field, path);
}

export function optionalObject(parent: JsonObject, field: string, path: string): JsonObject | undefined {
  const value = parent[field];
  if (value === undefined || value === null) return undefined;
  return objectAt(parent, field, path);
}

/** The request of a review of this kind. */
export function requestOf(body: unknown, apiVersion: string, kind: string): JsonObject {
  if (!isObject(body)) throw fault('', `must be a ${kind}`);
  if (body['apiVersion'] !== apiVersion || body['kind'] !== kind) {
    throw fault(
      '',
      `must be a ${kind} of ${apiVersion}, not ${JSON.stringify(body['kind'])} of ${JSON.stringify(body['apiVersion'])}`,
    );
  }
  return objectAt(body, 'request', '');
}

export function fault(path: string, message: string): WebhookError {
  const where = path === '' ? 'the body' : path;
  return new WebhookError('MALFORMED_REVIEW', `read a review: ${where} ${message}`, { faults: [{ path, message }] });
}
