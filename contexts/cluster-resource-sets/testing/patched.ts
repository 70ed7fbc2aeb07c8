import type { JsonObject } from '#kit/std';
import { isJsonObject } from '../domain/json-value.ts';

/** Applies a JSON merge patch as a server does: RFC 7396. */
export function patched(from: JsonObject, patch: JsonObject): JsonObject {
  const next = new Map(Object.entries(from));
  for (const [name, change] of Object.entries(patch)) {
    const before = next.get(name);
    if (change === null) next.delete(name);
    else next.set(name, isJsonObject(change) ? patched(isJsonObject(before) ? before : {}, change) : change);
  }
  return Object.fromEntries(next);
}
