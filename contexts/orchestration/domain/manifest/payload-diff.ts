import type { Json, JsonObject } from '#kit/std';
import { canonicalJson, escapePointer, REDACTED } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { identityKey, identityOf, identityText } from './document-identity.ts';
import { isList, isObject } from './json.ts';
import type { Payload } from './payload.ts';
import { isReference, keyAsSent, maskSecrets } from './split-secrets.ts';

/** One difference. It shows whether a secret changed, but never the secret. */
export interface FieldChange {
  /**
   * A JSON pointer: into the new document for additions, into the old one for removals; a changed value is at the same
   * place in both.
   */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: Json;
  readonly after?: Json;
}

export interface DocumentChange {
  /** `apps/Deployment/shop/web`, or `#2` for the second document without an identity. */
  readonly document: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** For an added or removed document, one change that covers all of it. */
  readonly fields: readonly FieldChange[];
}

/** Field by field, in the order of documents. Empty if and only if the hashes are equal. */
export function diffPayloads(before: Payload | undefined, after: Payload | undefined): readonly DocumentChange[] {
  const [old, fresh] = [byKey(before), byKey(after)];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return keys.flatMap((key) => {
    const [a, b] = [old.get(key), fresh.get(key)];
    const fields = diffValues(a?.document, b?.document, '');
    const label = (b ?? a)?.label ?? key;
    return fields.length === 0 ? [] : [{ document: label, kind: kindOf(a, b), fields }];
  });
}

interface Keyed {
  readonly label: string;
  readonly document: Document;
}

/**
 * A document without an identity, or with one that another has already, is identified by its position among such
 * documents.
 */
function byKey(payload: Payload | undefined): ReadonlyMap<string, Keyed> {
  const keyed = new Map<string, Keyed>();
  let places = 0;
  for (const document of payload?.documents ?? []) {
    const identity = identityOf(document);
    const key = identity === undefined ? undefined : identityKey(identity);
    if (identity !== undefined && key !== undefined && !keyed.has(key)) {
      keyed.set(key, { label: identityText(identity), document });
      continue;
    }
    places += 1;
    keyed.set(`~${String(places).padStart(9, '0')}`, { label: `#${places}`, document });
  }
  return keyed;
}

function diffValues(before: Json | undefined, after: Json | undefined, path: string): readonly FieldChange[] {
  if (before === undefined || after === undefined) return wholly(before, after, path);
  if (isReference(before) || isReference(after)) return diffSecrets(before, after, path);
  if (isList(before) && isList(after)) return diffLists(before, after, path);
  if (isObject(before) && isObject(after)) return diffObjects(before, after, path);
  return canonicalJson(before) === canonicalJson(after) ? [] : wholly(before, after, path);
}

/**
 * If one side is secret the other is not shown either: most often it is the same value, newly marked or no longer marked.
 */
function diffSecrets(before: Json, after: Json, path: string): readonly FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [{ path, kind: 'changed', before: REDACTED, after: REDACTED }];
}

function diffObjects(before: JsonObject, after: JsonObject, path: string): readonly FieldChange[] {
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return keys.flatMap((key) => diffValues(old.get(key), fresh.get(key), `${path}/${escapePointer(keyAsSent(key))}`));
}

/** The common head and tail are skipped, so that one item inserted or removed is one change. */
function diffLists(before: readonly Json[], after: readonly Json[], path: string): readonly FieldChange[] {
  const [old, fresh] = [before.map((item) => canonicalJson(item)), after.map((item) => canonicalJson(item))];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const [oldEnd, freshEnd] = [old.length - tail, fresh.length - tail];
  const places = Array.from({ length: Math.max(oldEnd, freshEnd) - head }, (_, offset) => head + offset);
  return places.flatMap((place) =>
    diffValues(
      place < oldEnd ? before[place] : undefined,
      place < freshEnd ? after[place] : undefined,
      `${path}/${place}`,
    ),
  );
}

function wholly(before: Json | undefined, after: Json | undefined, path: string): readonly FieldChange[] {
  if (before === undefined && after === undefined) return [];
  return [
    {
      path,
      kind: kindOf(before, after),
      ...(before === undefined ? {} : { before: maskSecrets(before) }),
      ...(after === undefined ? {} : { after: maskSecrets(after) }),
    },
  ];
}

function kindOf(before: unknown, after: unknown): FieldChange['kind'] {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}
