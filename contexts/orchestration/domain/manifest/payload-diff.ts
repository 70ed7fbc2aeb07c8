import type { Json, JsonObject } from '#kit/std';
import { canonicalJson, escapePointer, REDACTED } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { identityKey, identityOf, identityText } from './document-identity.ts';
import { isList, isObject } from './json.ts';
import type { Payload } from './payload.ts';
import { isReference, keyAsSent, maskSecrets } from './split-secrets.ts';

/** One place that differs. Whether a secret changed can be seen; the secret cannot. */
export interface FieldChange {
  /**
   * A JSON pointer: into the new document for what was added, into the old one for what was removed; what changed is at
   * the same place in both.
   */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: Json;
  readonly after?: Json;
}

export interface DocumentChange {
  /** `apps/Deployment/shop/web`, or `#2` for the second of those without a name. */
  readonly document: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Of an added or removed document, one change of it all. */
  readonly fields: readonly FieldChange[];
}

/** Field by field, in the order of documents; nothing when the hashes are equal, and something when they are not. */
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

/** What has no identity, or one that another has already, is known by its place among its like. */
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

/** When one side is secret the other is not shown either: most often it is the same thing, marked or no longer so. */
function diffSecrets(before: Json, after: Json, path: string): readonly FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [{ path, kind: 'changed', before: REDACTED, after: REDACTED }];
}

function diffObjects(before: JsonObject, after: JsonObject, path: string): readonly FieldChange[] {
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return keys.flatMap((key) => diffValues(old.get(key), fresh.get(key), `${path}/${escapePointer(keyAsSent(key))}`));
}

/** What is the same at both ends is left out, so that one item put in or taken out is one change. */
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
