import type { Json } from '#kit/std';
import { escapePointer } from '#kit/std';
import { isList, isObject } from './json.ts';
import { isReference, keyAsSent } from './split-secrets.ts';

/** Those that an open value holds in the place of secrets, each once and in order. */
export function referencesIn(open: Json): readonly string[] {
  const found = new Set<string>();
  collect(open, found);
  return [...found].sort();
}

/** JSON pointers to them, as the value is once its secrets are in their places. */
export function secretPlaces(open: Json, at = ''): readonly string[] {
  if (isReference(open)) return [at];
  if (isList(open)) return open.flatMap((item, index) => secretPlaces(item, `${at}/${index}`));
  if (!isObject(open)) return [];
  return Object.entries(open).flatMap(([key, field]) => secretPlaces(field, `${at}/${escapePointer(keyAsSent(key))}`));
}

function collect(value: Json, found: Set<string>): void {
  if (isReference(value)) for (const reference of Object.values(value)) found.add(reference);
  else if (isList(value)) for (const item of value) collect(item, found);
  else if (isObject(value)) for (const field of Object.values(value)) collect(field, found);
}
