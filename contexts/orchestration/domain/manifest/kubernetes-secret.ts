import type { Json, JsonObject } from '#kit/std';
import { fieldOf, isList, isObject, mapFields } from './json.ts';
import { isMarked, marked } from './secret-mark.ts';

/** kubectl stores the whole object in this annotation, data included. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const SECRET_LIST = 'SecretList';

/**
 * Also true for a list of Secrets, and in a template for an object that may become one because its kind is an expression.
 */
export function isKubernetesSecret(value: Json): value is JsonObject {
  return mayBe(fieldOf(value, 'apiVersion'), ['v1']) && mayBe(fieldOf(value, 'kind'), ['Secret', SECRET_LIST]);
}

function mayBe(text: Json | undefined, names: readonly string[]): boolean {
  return typeof text === 'string' && (names.includes(text) || text.includes('${'));
}

/** The Secret with all secret parts marked. The names of its entries are not secret. */
export function markKubernetesSecret(secret: JsonObject): JsonObject {
  return mapFields(secret, (value, key) => {
    if (key === 'data' || key === 'stringData') return markEntries(value);
    // The items of a SecretList need not repeat their kind.
    if (key === 'items' && isList(value))
      return value.map((item) => (isObject(item) ? markKubernetesSecret(item) : item));
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
