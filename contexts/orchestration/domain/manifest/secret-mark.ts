import type { Json, JsonObject } from '#kit/std';
import { fieldOf, isList, isObject, mapFields } from './json.ts';

const MARK = '$secret';

/**
 * `{ "$secret": value }` in place of a value: the author of a spec marks values with it that must never be readable
 * again.
 */
export function isMarked(value: Json | undefined): value is JsonObject {
  return isObject(value) && Object.hasOwn(value, MARK) && Object.keys(value).length === 1;
}

/** The mark with other fields beside it: neither a secret nor an ordinary object. */
export function isHalfMarked(value: Json): boolean {
  return isObject(value) && Object.hasOwn(value, MARK) && !isMarked(value);
}

export function marked(value: Json): JsonObject {
  return { [MARK]: withoutMarks(value) };
}

/** The plain values, at any depth, as they are delivered. */
export function withoutMarks(value: Json): Json {
  if (isMarked(value)) return withoutMarks(fieldOf(value, MARK) ?? null);
  if (isList(value)) return value.map(withoutMarks);
  return isObject(value) ? mapFields(value, withoutMarks) : value;
}

export function holdsMark(value: Json): boolean {
  if (isMarked(value)) return true;
  if (isList(value)) return value.some(holdsMark);
  return isObject(value) && Object.values(value).some(holdsMark);
}
