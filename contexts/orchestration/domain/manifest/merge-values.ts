import type { Json, JsonObject } from '#kit/std';
import { isObject } from './json.ts';
import { isMarked } from './secret-mark.ts';

/**
 * A JSON merge patch (RFC 7396): objects are merged field by field, `null` removes, anything else replaces. A marked
 * secret is one value: it is replaced as a whole, so that no secret ever loses its mark.
 */
export function mergeValues(values: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(values));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isMergeable(value) ? mergeValues(objectOr(merged.get(key)), value) : value);
  }
  return Object.fromEntries(merged);
}

function objectOr(value: Json | undefined): JsonObject {
  return isMergeable(value) ? value : {};
}

function isMergeable(value: Json | undefined): value is JsonObject {
  return isObject(value) && !isMarked(value);
}
