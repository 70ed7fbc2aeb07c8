import { isList, isObject, type Json } from './json.ts';
import { isReference } from './split-secrets.ts';

/** Those that an open value holds in the place of secrets, each once and in order. */
export function referencesIn(open: Json): readonly string[] {
  const found = new Set<string>();
  collect(open, found);
  return [...found].sort();
}

function collect(value: Json, found: Set<string>): void {
  if (isReference(value)) for (const reference of Object.values(value)) found.add(reference);
  else if (isList(value)) for (const item of value) collect(item, found);
  else if (isObject(value)) for (const field of Object.values(value)) collect(field, found);
}
