import type { Json, JsonObject } from '#kit/std';
import { fieldOf, isList, isObject } from './json.ts';

/** The values at these JSON pointers, by pointer; those that do not exist are absent. */
export function fieldsAt(value: JsonObject, pointers: readonly string[]): JsonObject {
  const found = pointers.flatMap((pointer) => {
    const field = valueAt(value, pointer);
    return field === undefined ? [] : [[pointer, field] as const];
  });
  return Object.fromEntries(found);
}

function valueAt(value: JsonObject, pointer: string): Json | undefined {
  let current: Json | undefined = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isList(current)) current = current[Number(key)];
    else current = isObject(current) ? fieldOf(current, key) : undefined;
  }
  return current;
}
