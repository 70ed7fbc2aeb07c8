import type { JsonSchema } from './closed-schema.ts';

/** Whether a request may come without a body: an object that requires nothing is then meant to be empty. */
export function isOptionalBody(schema: JsonSchema): boolean {
  const { type, required, minProperties } = schema;
  return type === 'object' && (!Array.isArray(required) || required.length === 0) && minProperties === undefined;
}
