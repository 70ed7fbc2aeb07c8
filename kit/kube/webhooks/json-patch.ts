import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#kit/std';
import { isObject } from './json-fields.ts';

/** One operation of RFC 6902. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/**
 * The operations that turn `before` into `after`, both JSON. Only differences are touched: a field that is equal, or
 * that cannot be represented exactly, such as a number beyond 2^53, keeps its value on the server.
 */
export function diffJson(before: unknown, after: unknown, path = ''): PatchOperation[] {
  if (isObject(before) && isObject(after)) return diffObjects(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return diffArrays(before, after, path);
  return isDeepStrictEqual(before, after) ? [] : [{ op: 'replace', path, value: after }];
}

function diffObjects(before: JsonObject, after: JsonObject, path: string): PatchOperation[] {
  const operations: PatchOperation[] = [];
  for (const key of Object.keys(before)) {
    const at = `${path}/${escaped(key)}`;
    if (!Object.hasOwn(after, key)) operations.push({ op: 'remove', path: at });
    else operations.push(...diffJson(before[key], after[key], at));
  }
  for (const [key, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, key)) operations.push({ op: 'add', path: `${path}/${escaped(key)}`, value });
  }
  return operations;
}

/**
 * Equal items at both ends are skipped, so that inserting or removing one item in the middle is one operation; the rest
 * is compared in place.
 */
function diffArrays(before: readonly unknown[], after: readonly unknown[], path: string): PatchOperation[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isDeepStrictEqual(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isDeepStrictEqual(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const common = shorter - end;
  const operations: PatchOperation[] = [];
  for (let index = start; index < common; index++) {
    operations.push(...diffJson(before[index], after[index], `${path}/${index}`));
  }
  for (let index = before.length - end - 1; index >= common; index--) {
    operations.push({ op: 'remove', path: `${path}/${index}` });
  }
  for (let index = common; index < after.length - end; index++) {
    operations.push({ op: 'add', path: `${path}/${index}`, value: after[index] });
  }
  return operations;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
