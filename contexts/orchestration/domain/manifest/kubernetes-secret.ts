import type { Json, JsonObject } from '#kit/std';
import { fieldOf, isList, isObject, mapFields } from './json.ts';
import { isMarked, marked } from './secret-mark.ts';

/** kubectl keeps the whole object in it, data included. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const SECRET_LIST = 'SecretList';

/** Or a list of them; and in a template also what may turn out to be one, as its kind is an expression. */
export function isKubernetesSecret(value: Json): value is JsonObject {
  return mayBe(fieldOf(value, 'apiVersion'), ['v1']) && mayBe(fieldOf(value, 'kind'), ['Secret', SECRET_LIST]);
}

function mayBe(text: Json | undefined, names: readonly string[]): boolean {
  return typeof text === 'string' && (names.includes(text) || text.includes('${'));
}

/** The same Secret with a mark on all that is secret in it. The names of its entries are not. */
export function markKubernetesSecret(secret: JsonObject): JsonObject {
  return mapFields(secret, (value, key) => {
    if (key === 'data' || key === 'stringData') return markEntries(value);
    // Its items need not say what they are.
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
