import type { Json, JsonObject } from './canonical-json.ts';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compares numbers by value, and objects regardless of key order. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isJsonList(a) && isJsonList(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * The JSON merge patch (RFC 7396) that turns `from` into `to`; `undefined` if they are equal. Objects are compared member
 * by member. In `to`, `null` stands for an absent member; a `null` in `from` is a member, which some servers store, and is removed.
 */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject | undefined {
  // Uses entries instead of assigning to an object, because `__proto__` must be a normal key.
  const patch: [string, Json][] = [];
  for (const key of Object.keys(from)) if ((own(to, key) ?? null) === null) patch.push([key, null]);
  for (const [key, value] of Object.entries(to)) {
    const before = own(from, key);
    if (value === null || sameJson(before, value)) continue;
    const change = isJsonObject(before) && isJsonObject(value) ? mergePatch(before, value) : value;
    if (change !== undefined) patch.push([key, change]);
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}

/** The result of a JSON merge patch. */
export function applyMergePatch(from: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(from));
  for (const [key, change] of Object.entries(patch)) {
    const before = merged.get(key);
    if (change === null) merged.delete(key);
    else merged.set(key, isJsonObject(change) ? applyMergePatch(isJsonObject(before) ? before : {}, change) : change);
  }
  return Object.fromEntries(merged);
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
