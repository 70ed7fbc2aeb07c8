export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A copy in which every object accepts only its named properties, at any depth. An object that is meant to be open says
 * so itself: a record, or `additionalProperties`.
 */
export function closeSchema(schema: object, where: string): JsonSchema {
  if ('allOf' in schema) {
    throw new TypeError(`${where}: allOf cannot be closed to unknown fields; spread the properties into one object`);
  }
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closeKeyword(key, value, where)]),
  );
  return takesUnknownFields(closed) ? { ...closed, additionalProperties: false } : closed;
}

function closeKeyword(keyword: string, value: unknown, where: string): unknown {
  switch (keyword) {
    case 'properties':
    case 'patternProperties':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, closeChild(child, where)]))
        : value;
    case 'items':
    case 'additionalProperties':
    case 'not':
      return closeChild(value, where);
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) ? value.map((child) => closeChild(child, where)) : value;
    default:
      return value;
  }
}

function closeChild(child: unknown, where: string): unknown {
  return isObject(child) ? closeSchema(child, where) : child;
}

function takesUnknownFields(schema: JsonSchema): boolean {
  return schema['type'] === 'object' && schema['additionalProperties'] === undefined && !isRecord(schema);
}

/** TypeBox writes a record with arbitrary keys as one pattern that matches everything. */
function isRecord(schema: JsonSchema): boolean {
  return isObject(schema['patternProperties']) && '^.*$' in schema['patternProperties'];
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
