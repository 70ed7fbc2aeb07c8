import { type FieldPath, parseFieldPath, valuesAt } from './field-path.ts';
import { healthOf, type ReadyCheck, type ReadyRule, readyChecks, readyRules } from './health-of.ts';
import type { FieldType, IndexedKind } from './index-schema.ts';
import { type FieldValue, type IndexedContent, type IndexedObject, withDigest } from './indexed-object.ts';
import type { ObservedObject } from './observed-object.ts';

/** Extracts the indexed part of an object. `undefined` for objects that are excluded or expired. */
export type Extractor = (object: ObservedObject, now: number) => IndexedObject | undefined;

/** Limits per object, so that an oversized object does no harm. */
const MAX_TEXT = 1_024;
const MAX_ITEMS = 100;
const MAX_LABELS = 64;
const MAX_OWNERS = 16;
const MAX_CONDITIONS = 32;
const MAX_CONTENT = 16_384;

/** Parses the schema once, not for every object. */
export function extractorOf(kind: IndexedKind): Extractor {
  const fields = kind.fields.flatMap(({ name, path, type }) => {
    const steps = parseFieldPath(path);
    return steps === undefined ? [] : [{ name, type, steps }];
  });
  const expiry = kind.expiry && { ...kind.expiry, from: kind.expiry.from.flatMap((path) => parsed(path)) };
  const ready = { fields, rules: readyRules(kind.health), only: readyChecks(kind.only), expiry };
  return (object, now) => extract(object, ready, now);
}

interface ReadyKind {
  readonly fields: readonly { readonly name: string; readonly type: FieldType; readonly steps: FieldPath }[];
  readonly rules: readonly ReadyRule[];
  readonly only: readonly ReadyCheck[];
  readonly expiry: { readonly afterMs: number; readonly from: readonly FieldPath[] } | undefined;
}

function extract(object: ObservedObject, kind: ReadyKind, now: number): IndexedObject | undefined {
  const { key, uid, deployment, body } = object;
  if (!kind.only.every((holds) => holds(body))) return undefined;
  const expireTime = expireTimeOf(object, kind.expiry, now);
  if (expireTime !== 0 && expireTime <= now) return undefined;
  const content = JSON.stringify(bounded(contentOf(object, kind)));
  return withDigest({ key, uid, deployment, health: healthOf(body, kind.rules), content, expireTime });
}

/** Without any of these times the expiry counts from the creation of the object, or from now. */
function expireTimeOf({ body, createTime }: ObservedObject, expiry: ReadyKind['expiry'], now: number): number {
  if (expiry === undefined) return 0;
  const times = expiry.from.flatMap((path) => valuesAt(body, path)).map((value) => Date.parse(String(value)));
  return (times.find((time) => !Number.isNaN(time)) ?? createTime ?? now) + expiry.afterMs;
}

function contentOf(object: ObservedObject, { fields }: ReadyKind): IndexedContent {
  const values: [string, FieldValue][] = fields.flatMap(({ name, type, steps }) => {
    const value = fieldValue(valuesAt(object.body, steps), type);
    return value === undefined ? [] : [[name, value]];
  });
  const { labels, owners, conditions, createTime } = object;
  const isCut = owners.length > MAX_OWNERS || Object.keys(labels).length > MAX_LABELS;
  return {
    labels: Object.fromEntries(
      Object.entries(labels)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, MAX_LABELS),
    ),
    owners: owners.slice(0, MAX_OWNERS),
    conditions: conditions.slice(0, MAX_CONDITIONS).map((each) => ({ ...each, reason: cut(each.reason) })),
    fields: Object.fromEntries(values),
    ...(createTime === undefined ? {} : { createTime }),
    ...(isCut ? { isCut: true } : {}),
  };
}

function fieldValue(values: readonly unknown[], type: FieldType): FieldValue | undefined {
  const [first] = values;
  if (first === undefined) return undefined;
  switch (type) {
    case 'string':
    case 'time':
      return textOf(first);
    case 'boolean':
      return typeof first === 'boolean' ? first : undefined;
    case 'number':
      return sumOf(values);
    case 'strings':
      return [...new Set(values.flatMap((value) => textOf(value) ?? []))].slice(0, MAX_ITEMS);
    case 'keys':
      return isObject(first) ? Object.keys(first).sort().slice(0, MAX_ITEMS).map(cut) : undefined;
  }
}

/** Only text, numbers and booleans are kept: the contents of an object or list were not asked for. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return cut(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function sumOf(values: readonly unknown[]): number | undefined {
  const numbers = values.filter((value) => typeof value === 'number');
  return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0);
}

/** Repairs a surrogate pair that was cut in half. */
function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT).toWellFormed();
}

/** Drops the largest fields first. Without fields the content is always small enough. */
function bounded(content: IndexedContent): IndexedContent {
  if (sizeOf(content) <= MAX_CONTENT) return content;
  const fields = Object.entries(content.fields);
  while (fields.length > 0 && sizeOf({ ...content, fields: Object.fromEntries(fields) }) > MAX_CONTENT) {
    const sizes = fields.map(([, value]) => sizeOf(value));
    fields.splice(sizes.indexOf(Math.max(...sizes)), 1);
  }
  return { ...content, fields: Object.fromEntries(fields), isCut: true };
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

function parsed(path: string): readonly FieldPath[] {
  const steps = parseFieldPath(path);
  return steps === undefined ? [] : [steps];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
