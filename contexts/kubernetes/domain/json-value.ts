import type { JsonObject } from '#kit/std';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands at the end of these fields; `undefined` when the way there breaks off. */
export function at(value: unknown, ...fields: readonly string[]): unknown {
  let here = value;
  for (const field of fields) {
    if (!isJsonObject(here) || !Object.hasOwn(here, field)) return undefined;
    here = here[field];
  }
  return here;
}

export function textAt(value: unknown, ...fields: readonly string[]): string | undefined {
  const found = at(value, ...fields);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...fields: readonly string[]): number | undefined {
  const found = at(value, ...fields);
  return typeof found === 'number' ? found : undefined;
}

export function listAt(value: unknown, ...fields: readonly string[]): readonly unknown[] {
  const found = at(value, ...fields);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}
