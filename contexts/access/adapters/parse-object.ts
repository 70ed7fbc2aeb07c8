/** Parses a column that holds a JSON object. Throws a SyntaxError for anything else, as for text that is not JSON. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value;
  throw new SyntaxError(`not a JSON object: ${text.slice(0, 40)}`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
