import { foreignText } from '#kit/std';
import { BUCKETS } from './bucket.ts';
import { DIGEST_SPACE } from './hash48.ts';
import type { IndexDelta, TypeReport } from './index-message.ts';
import type { IndexedObject, ObjectKey } from './indexed-object.ts';

const MAX_NAME = 512;
const MAX_CONTENT = 65_536;
/** Limit for one type on one target. Counts are summed over all targets, and the sum has to stay exact. */
const MAX_OBJECTS = 100_000_000;
/** The last moment that a date can represent, in Unix milliseconds. */
const LAST_TIME = 8_640_000_000_000_000;
/** Control characters: never part of a name, and some databases reject them. */
// oxlint-disable-next-line no-control-regex -- These are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** The combined effect of several deltas of one target: each object once, in its latest state. */
export interface GatheredDeltas {
  readonly droppedTypes: readonly string[];
  readonly put: readonly IndexedObject[];
  readonly deleted: readonly ObjectKey[];
  /** How many changes were invalid and ignored. */
  readonly refused: number;
}

interface Latest {
  readonly key: ObjectKey;
  /** `undefined` once it is deleted. */
  readonly object: IndexedObject | undefined;
}

export function gatherDeltas(deltas: readonly IndexDelta[]): GatheredDeltas {
  const dropped = new Set<string>();
  // By type, so that dropping a type is cheap, however many objects it has.
  const latest = new Map<
    string,
    Map<string, { readonly key: ObjectKey; readonly object: IndexedObject | undefined }>
  >();
  const say = (key: ObjectKey, object: IndexedObject | undefined): void => {
    const ofType = latest.get(key.type) ?? new Map<string, Latest>();
    latest.set(key.type, ofType.set(`${key.namespace}\n${key.name}`, { key, object }));
  };
  let refused = 0;
  for (const { put, deleted, droppedTypes } of deltas) {
    for (const type of droppedTypes.filter(isName)) {
      dropped.add(type);
      latest.delete(type);
    }
    for (const object of put) {
      if (isSane(object)) say(object.key, object);
      else refused += 1;
    }
    for (const key of deleted.filter(isKey)) say(key, undefined);
  }
  const all = [...latest.values()].flatMap((ofType) => [...ofType.values()]);
  return {
    droppedTypes: [...dropped],
    put: all.flatMap(({ object }) => object ?? []),
    deleted: all.flatMap(({ key, object }) => (object === undefined ? [key] : [])),
    refused,
  };
}

/** Filters the reports of an agent; values beyond these limits are not plausible. */
export function saneReports(types: readonly TypeReport[]): readonly TypeReport[] {
  const MAX_TYPES = 500;
  return types
    .filter(({ type, objects }) => isName(type) && type !== '' && objects <= MAX_OBJECTS)
    .slice(0, MAX_TYPES)
    .map((report) => ({ ...report, message: foreignText(report.message, MAX_NAME) }));
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
    isContentText(content) &&
    isTime(expireTime) &&
    digest < DIGEST_SPACE
  );
}

function isKey({ type, namespace, name }: ObjectKey): boolean {
  return type !== '' && name !== '' && [type, namespace, name].every(isName);
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME && !CONTROL.test(text);
}

/** The content is shown as it is stored, so it has to have the shape of `IndexedContent`. */
function isContentText(text: string): boolean {
  try {
    return isContent(JSON.parse(text));
  } catch {
    return false;
  }
}

function isContent(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { labels, owners, conditions, fields, createTime, isCut } = value;
  return (
    isRecord(labels) &&
    Object.values(labels).every(isText) &&
    isListOf(owners, ['type', 'name', 'uid']) &&
    isListOf(conditions, ['type', 'status', 'reason']) &&
    isRecord(fields) &&
    Object.values(fields).every(isFieldValue) &&
    (createTime === undefined || isTime(createTime)) &&
    (isCut === undefined || isCut === true)
  );
}

function isListOf(value: unknown, texts: readonly string[]): boolean {
  return Array.isArray(value) && value.every((item) => isRecord(item) && texts.every((name) => isText(item[name])));
}

function isFieldValue(value: unknown): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    isText(value) ||
    (Array.isArray(value) && value.every(isText))
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= LAST_TIME;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
