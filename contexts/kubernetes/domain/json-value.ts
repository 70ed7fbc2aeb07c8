import type { JsonObject } from '#kit/std';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at this path; `undefined` if the path does not exist. */
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
