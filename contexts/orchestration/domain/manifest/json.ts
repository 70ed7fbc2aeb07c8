import type { Json, JsonObject } from '#kit/std';

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Not `Array.isArray`, which makes an `any[]` of a list that is read-only. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Only what the object has of its own: `constructor` is a key like any other, and mostly absent. */
export function fieldOf(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The same shape with each field replaced. Keys such as `__proto__` stay keys. */
export function mapFields(value: JsonObject, map: (field: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, map(field, key)]));
}
