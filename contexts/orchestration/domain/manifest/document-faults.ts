import type { Json } from '#kit/std';
import { canonicalJson, escapePointer, type FieldFault, REDACTED, StdError } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { identityKey, identityOf, identityText } from './document-identity.ts';
import { fieldOf, isList, isObject } from './json.ts';
import { isKubernetesSecret, markKubernetesSecret } from './kubernetes-secret.ts';
import { isHalfMarked, isMarked, withoutMarks } from './secret-mark.ts';

/** Fields that identify a document. If they could be hidden, a Secret could pass for something else. */
const OPEN_FIELDS = [
  [],
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
] as const;

/** The faults of documents, whether users or strategies produced them. Paths are JSON pointers below `at`. */
export function documentFaults(documents: readonly Document[], at: string): FieldFault[] {
  const faults = documents.flatMap((document, index) => {
    if (!isObject(document)) return [{ path: `${at}/${index}`, message: 'must be an object' }];
    return [...openFieldFaults(document, `${at}/${index}`), ...valueFaults(document, `${at}/${index}`)];
  });
  return [...faults, ...duplicateFaults(documents, at)];
}

/** The faults of any value that users or addons send: not JSON, or marked incorrectly. */
export function valueFaults(value: Json, at: string): FieldFault[] {
  const faults = jsonFaults(value, at);
  // Only valid JSON is walked: a cyclic value would never end.
  return faults.length > 0 ? faults : markFaults(value, at);
}

function markFaults(given: Json, at: string): FieldFault[] {
  const value = isKubernetesSecret(given) ? markKubernetesSecret(given) : given;
  if (isHalfMarked(value))
    return [{ path: at, message: 'has other fields beside $secret; $secret must be the only field' }];
  if (isMarked(value)) {
    // A masked secret was copied from an answer and sent back. Taken as the value, it would overwrite the real secret.
    return withoutMarks(value) === REDACTED
      ? [{ path: at, message: `is a masked secret; send the secret itself` }]
      : [];
  }
  if (isList(value)) return value.flatMap((item, index) => markFaults(item, `${at}/${index}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => markFaults(field, `${at}/${escapePointer(key)}`));
}

function jsonFaults(value: Json, at: string): FieldFault[] {
  try {
    canonicalJson(value);
    return [];
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    return error.faults.map(({ path, message }) => ({ path: `${at}${path}`, message }));
  }
}

function openFieldFaults(document: Document, at: string): FieldFault[] {
  return OPEN_FIELDS.flatMap((keys) => {
    const value = keys.reduce<Json | undefined>(fieldOf, document);
    return isMarked(value) ? [{ path: [at, ...keys].join('/'), message: 'must not be secret' }] : [];
  });
}

function duplicateFaults(documents: readonly Document[], at: string): FieldFault[] {
  const first = new Map<string, number>();
  return documents.flatMap((document, index) => {
    const identity = identityOf(document);
    if (identity === undefined) return [];
    const earlier = first.get(identityKey(identity));
    if (earlier === undefined) first.set(identityKey(identity), index);
    if (earlier === undefined) return [];
    return [{ path: `${at}/${index}`, message: `is ${identityText(identity)}, the same as document ${earlier}` }];
  });
}
