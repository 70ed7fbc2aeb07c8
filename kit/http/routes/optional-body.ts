import type { JsonSchema } from './closed-schema.ts';

/** Whether the body may be omitted: an object without required properties then counts as empty. */
export function isOptionalBody(schema: JsonSchema): boolean {
  const { type, required, minProperties } = schema;
  return type === 'object' && (!Array.isArray(required) || required.length === 0) && minProperties === undefined;
}
