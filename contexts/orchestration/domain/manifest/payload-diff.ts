import type { Json, JsonObject } from '#kit/std';
import { canonicalJson, escapePointer, REDACTED } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { identityKey, identityOf, identityText } from './document-identity.ts';
import { isList, isObject } from './json.ts';
import { type KeyedItem, keyedBy } from './keyed-list.ts';
import type { Payload } from './payload.ts';
import { isReference, keyAsSent, maskSecrets } from './split-secrets.ts';

/** One difference. It shows whether a secret changed, but never the secret. */
export interface FieldChange {
  /** A JSON pointer: into the old document for removals, otherwise into the new one. */
  readonly path: string;
  /** The path with merge keys in place of positions, as `/spec/containers[web]/image`; absent if there are none. */
  readonly named?: string;
  /** Within a spec: the inline document that the change is part of. */
  readonly document?: string;
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

/**
 * Field by field, in the order of documents. Equal hashes have no difference; where only the order of documents or of
 * items with a merge key differs, there is none either.
 */
export function diffPayloads(before: Payload | undefined, after: Payload | undefined): readonly DocumentChange[] {
  return matched(before?.documents ?? [], after?.documents ?? []).flatMap(({ label, isObject: is, old, fresh }) => {
    const fields = diffValues(old?.document, fresh?.document, { ...TOP, within: is ? 'object' : 'value' });
    return fields.length === 0 ? [] : [{ document: label, kind: kindOf(old, fresh), fields }];
  });
}

/** The same for two specs of a deployment: their inline documents are compared by identity, wherever they stand. */
export function diffSpecs(before: JsonObject | undefined, after: JsonObject | undefined): readonly FieldChange[] {
  return diffValues(before, after, { ...TOP, within: 'spec' });
}

/** Where two values are compared. */
interface Place {
  /** Pointers into the old and into the new document. */
  readonly old: string;
  readonly fresh: string;
  readonly named: string;
  /** The name of the innermost field. */
  readonly field: string;
  readonly document?: string;
  /** `object`: within a Kubernetes object, whose lists have merge keys. */
  readonly within: 'spec' | 'object' | 'value';
}

const TOP: Omit<Place, 'within'> = { old: '', fresh: '', named: '', field: '' };

interface Keyed {
  readonly label: string;
  readonly document: Document;
  readonly place: number;
  readonly isObject: boolean;
}

interface Match {
  readonly label: string;
  readonly isObject: boolean;
  readonly old: Keyed | undefined;
  readonly fresh: Keyed | undefined;
}

/** Each document of either side once, with its counterpart. */
function matched(before: readonly Document[], after: readonly Document[]): readonly Match[] {
  const [old, fresh] = [byKey(before), byKey(after)];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return keys.map((key) => {
    const [a, b] = [old.get(key), fresh.get(key)];
    const its = b ?? a;
    return { label: its?.label ?? key, isObject: its?.isObject ?? false, old: a, fresh: b };
  });
}

/**
 * A document without an identity, or with one that another has already, is identified by its position among such
 * documents.
 */
function byKey(documents: readonly Document[]): ReadonlyMap<string, Keyed> {
  const keyed = new Map<string, Keyed>();
  let places = 0;
  for (const [place, document] of documents.entries()) {
    const identity = identityOf(document);
    const key = identity === undefined ? undefined : identityKey(identity);
    if (identity !== undefined && key !== undefined && !keyed.has(key)) {
      keyed.set(key, { label: identityText(identity), document, place, isObject: true });
      continue;
    }
    places += 1;
    keyed.set(`~${String(places).padStart(9, '0')}`, { label: `#${places}`, document, place, isObject: false });
  }
  return keyed;
}

function diffValues(before: Json | undefined, after: Json | undefined, at: Place): readonly FieldChange[] {
  if (before === undefined || after === undefined) return wholly(before, after, at);
  if (isReference(before) || isReference(after)) return diffSecrets(before, after, at);
  if (isList(before) && isList(after)) return diffLists(before, after, at);
  if (isObject(before) && isObject(after)) return diffObjects(before, after, at);
  return canonicalJson(before) === canonicalJson(after) ? [] : wholly(before, after, at);
}

/**
 * If one side is secret the other is not shown either: most often it is the same value, newly marked or no longer marked.
 */
function diffSecrets(before: Json, after: Json, at: Place): readonly FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [{ ...whereOf(at, 'changed'), before: REDACTED, after: REDACTED }];
}

function diffObjects(before: JsonObject, after: JsonObject, at: Place): readonly FieldChange[] {
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return keys.flatMap((key) => {
    const step = `/${escapePointer(keyAsSent(key))}`;
    return diffValues(old.get(key), fresh.get(key), { ...stepped(at, step, step), field: key });
  });
}

function diffLists(before: readonly Json[], after: readonly Json[], at: Place): readonly FieldChange[] {
  if (at.within === 'spec' && at.field === 'documents' && [...before, ...after].every(isObject)) {
    return diffDocuments(before.filter(isObject), after.filter(isObject), at);
  }
  const keyed = at.within === 'object' ? keyedBy(at.field, before, after) : undefined;
  return keyed === undefined ? diffPlaces(before, after, at) : diffKeyed(keyed.old, keyed.fresh, at);
}

function diffDocuments(before: readonly Document[], after: readonly Document[], at: Place): readonly FieldChange[] {
  return matched(before, after).flatMap(({ label, isObject: is, old, fresh }) => {
    const within = is ? ('object' as const) : ('value' as const);
    const place = { ...itemAt(at, old?.place, fresh?.place, `[${label}]`), document: label, within };
    return diffValues(old?.document, fresh?.document, place);
  });
}

/** In the order of the new list, then what is gone. */
function diffKeyed(
  old: ReadonlyMap<string, KeyedItem>,
  fresh: ReadonlyMap<string, KeyedItem>,
  at: Place,
): readonly FieldChange[] {
  return [...new Set([...fresh.keys(), ...old.keys()])].flatMap((key) => {
    const [a, b] = [old.get(key), fresh.get(key)];
    return diffValues(a?.item, b?.item, itemAt(at, a?.place, b?.place, `[${(b ?? a)?.label ?? key}]`));
  });
}

/** The common head and tail are skipped, so that one item inserted or removed is one change. */
function diffPlaces(before: readonly Json[], after: readonly Json[], at: Place): readonly FieldChange[] {
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
      itemAt(at, place, place, `/${place}`),
    ),
  );
}

function wholly(before: Json | undefined, after: Json | undefined, at: Place): readonly FieldChange[] {
  if (before === undefined && after === undefined) return [];
  return [
    {
      ...whereOf(at, kindOf(before, after)),
      ...(before === undefined ? {} : { before: maskSecrets(before) }),
      ...(after === undefined ? {} : { after: maskSecrets(after) }),
    },
  ];
}

function whereOf({ old, fresh, named, document }: Place, kind: FieldChange['kind']): Omit<FieldChange, 'before'> {
  const path = kind === 'removed' ? old : fresh;
  return {
    path,
    kind,
    ...(named.includes('[') && named !== path ? { named } : {}),
    ...(document === undefined ? {} : { document }),
  };
}

function stepped(at: Place, step: string, named: string): Place {
  return { ...at, old: `${at.old}${step}`, fresh: `${at.fresh}${step}`, named: `${at.named}${named}` };
}

/** An item of a list. On the side that does not have it, its position is not needed. */
function itemAt(at: Place, old: number | undefined, fresh: number | undefined, named: string): Place {
  return {
    ...at,
    old: `${at.old}/${old ?? fresh ?? 0}`,
    fresh: `${at.fresh}/${fresh ?? old ?? 0}`,
    named: `${at.named}${named}`,
    field: '',
  };
}

function kindOf(before: unknown, after: unknown): FieldChange['kind'] {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}
