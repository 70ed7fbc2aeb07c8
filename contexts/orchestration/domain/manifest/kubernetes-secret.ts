import { fieldOf, isObject, type Json, type JsonObject, mapFields } from './json.ts';
import { isMarked, marked } from './secret-mark.ts';

/** kubectl keeps the whole object in it, data included. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export function isKubernetesSecret(value: Json): value is JsonObject {
  return fieldOf(value, 'apiVersion') === 'v1' && fieldOf(value, 'kind') === 'Secret';
}

/** The same Secret with a mark on all that is secret in it. The names of its entries are not. */
export function markKubernetesSecret(secret: JsonObject): JsonObject {
  return mapFields(secret, (value, key) => {
    if (key === 'data' || key === 'stringData') return markEntries(value);
    return key === 'metadata' ? markLastApplied(value) : value;
  });
}

function markEntries(entries: Json): Json {
  if (entries === null) return null;
  return isObject(entries) && !isMarked(entries) ? mapFields(entries, marked) : marked(entries);
}

function markLastApplied(metadata: Json): Json {
  const annotations = fieldOf(metadata, 'annotations');
  if (!isObject(metadata) || !isObject(annotations)) return metadata;
  const safe = mapFields(annotations, (text, name) => (name === LAST_APPLIED ? marked(text) : text));
  return { ...metadata, annotations: safe };
}
