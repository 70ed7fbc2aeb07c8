import type { Json, JsonObject } from '#kit/std';

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Unlike `Array.isArray`, this does not narrow a read-only list to `any[]`. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Own properties only: `constructor` is a valid key, and usually absent. */
export function fieldOf(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The same shape with each field replaced. Keys such as `__proto__` stay keys. */
export function mapFields(value: JsonObject, map: (field: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, map(field, key)]));
}
