import type { Json } from '#kit/std';
import { escapePointer } from '#kit/std';
import { isList, isObject } from './json.ts';
import { isReference, keyAsSent } from './split-secrets.ts';

/** The secret references in an open value, each once and sorted. */
export function referencesIn(open: Json): readonly string[] {
  const found = new Set<string>();
  collect(open, found);
  return [...found].sort();
}

/** JSON pointers to the references, valid for the value with its secrets joined back in. */
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
