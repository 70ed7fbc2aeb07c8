import { BUCKETS } from './bucket.ts';
import { DIGEST_SPACE } from './hash48.ts';
import type { IndexDelta, TypeReport } from './index-message.ts';
import type { IndexedObject, ObjectKey } from './indexed-object.ts';

const MAX_NAME = 512;
const MAX_CONTENT = 65_536;
/** What no name has, and a database may refuse. */
// oxlint-disable-next-line no-control-regex -- These are what is looked for.
const CONTROL = /[\u0000-\u001f]/g;

/** What several deltas of one target come to: each object once, as the last of them says. */
export interface GatheredDeltas {
  readonly droppedTypes: readonly string[];
  readonly put: readonly IndexedObject[];
  readonly deleted: readonly ObjectKey[];
  /** How many made no sense, and were passed over. */
  readonly refused: number;
}

export function gatherDeltas(deltas: readonly IndexDelta[]): GatheredDeltas {
  const dropped = new Set<string>();
  const latest = new Map<string, { readonly key: ObjectKey; readonly object: IndexedObject | undefined }>();
  let refused = 0;
  for (const { put, deleted, droppedTypes } of deltas) {
    for (const type of droppedTypes.filter(isName)) {
      dropped.add(type);
      for (const [id, { key }] of latest) if (key.type === type) latest.delete(id);
    }
    for (const object of put) {
      if (isSane(object)) latest.set(idOf(object.key), { key: object.key, object });
      else refused += 1;
    }
    for (const key of deleted.filter(isKey)) latest.set(idOf(key), { key, object: undefined });
  }
  const all = [...latest.values()];
  return {
    droppedTypes: [...dropped],
    put: all.flatMap(({ object }) => object ?? []),
    deleted: all.flatMap(({ key, object }) => (object === undefined ? [key] : [])),
    refused,
  };
}

/** Of what an agent says of its types; one that says more is not right in its mind. */
export function saneReports(types: readonly TypeReport[]): readonly TypeReport[] {
  const MAX_TYPES = 500;
  return types
    .filter(({ type, objects }) => isName(type) && type !== '' && Number.isSafeInteger(objects))
    .slice(0, MAX_TYPES)
    .map((report) => ({ ...report, message: report.message.slice(0, MAX_NAME).replaceAll(CONTROL, ' ') }));
}

export function saneBuckets(buckets: readonly number[]): readonly number[] {
  return [...new Set(buckets)].filter((bucket) => bucket < BUCKETS);
}

function isSane({ key, uid, deployment, content, expireTime, digest }: IndexedObject): boolean {
  return (
    isKey(key) &&
    isName(uid) &&
    isName(deployment) &&
    content.length <= MAX_CONTENT &&
    isObjectText(content) &&
    Number.isSafeInteger(expireTime) &&
    digest < DIGEST_SPACE
  );
}

function isKey({ type, namespace, name }: ObjectKey): boolean {
  return type !== '' && name !== '' && [type, namespace, name].every(isName);
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME && text.search(CONTROL) === -1;
}

/** Whoever shows it later has to be able to read it. */
function isObjectText(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function idOf({ type, namespace, name }: ObjectKey): string {
  return `${type}\n${namespace}\n${name}`;
}
