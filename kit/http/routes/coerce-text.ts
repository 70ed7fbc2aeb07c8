import type { JsonSchema } from './closed-schema.ts';

type Raw = Readonly<Record<string, unknown>>;
type Reader = (raw: unknown) => unknown;

const INTEGER = /^-?(0|[1-9]\d*)$/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Paths and queries are text. This converts the properties of an object schema to their types. Text that does not parse
 * as its type is left unchanged, for the validator to refuse.
 *
 * DECISION: not Ajv's `coerceTypes`, which reads `0x10`, `1e2`, ` 7 ` and an empty string as numbers.
 */
export function compileCoercion(schema: JsonSchema, where: string): (raw: Raw) => Raw {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const readers = new Map(Object.entries(properties).map(([name, property]) => [name, readerFor(property, where)]));
  return (raw) => {
    // Without a prototype, so that a parameter named __proto__ is treated, and refused, like any other.
    const coerced = Object.create(null) as Record<string, unknown>;
    for (const [name, value] of Object.entries(raw)) {
      const read = readers.get(name);
      coerced[name] = read ? read(value) : value;
    }
    return coerced;
  };
}

function readerFor(schema: JsonSchema, where: string): Reader {
  switch (schema['type']) {
    case 'integer':
      return (raw) => (typeof raw === 'string' && INTEGER.test(raw) ? Number(raw) : raw);
    case 'number':
      return (raw) => (typeof raw === 'string' && NUMBER.test(raw) ? Number(raw) : raw);
    case 'boolean':
      return (raw) => (raw === 'true' ? true : raw === 'false' ? false : raw);
    case 'array':
      return listReader((schema['items'] ?? {}) as JsonSchema, where);
    case 'string':
      return (raw) => raw;
    default:
      if (isTextual(schema)) return (raw) => raw;
      throw new TypeError(`${where}: a path or query parameter is a string, number, boolean or a list of those`);
  }
}

/** A list is a repeated parameter; a single value is a list of one. */
function listReader(items: JsonSchema, where: string): Reader {
  const read = readerFor(items, where);
  return (raw) => (Array.isArray(raw) ? raw.map(read) : [read(raw)]);
}

/** Closed sets have no `type` in TypeBox: `enum`, or `anyOf` of constants. */
function isTextual(schema: JsonSchema): boolean {
  const allowed = schema['enum'] ?? (Array.isArray(schema['anyOf']) ? schema['anyOf'].map(constantOf) : undefined);
  return Array.isArray(allowed) && allowed.every((value) => typeof value === 'string');
}

function constantOf(schema: unknown): unknown {
  return typeof schema === 'object' && schema !== null && 'const' in schema ? schema.const : undefined;
}
