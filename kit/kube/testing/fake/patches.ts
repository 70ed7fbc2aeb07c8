import { isDeepStrictEqual } from 'node:util';
import { badRequest, invalid } from './refused.ts';

type MutableJson = null | boolean | number | string | MutableJson[] | { [key: string]: MutableJson };

/** RFC 7396. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** RFC 6902. */
export function jsonPatch(target: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch is a list of operations');
  const holder = { root: structuredClone(target) as MutableJson };
  for (const operation of operations) applyOperation(holder, operation as Operation);
  return holder.root;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: MutableJson;
}

function applyOperation(holder: { root: MutableJson }, { op, path, from = '', value = null }: Operation): void {
  switch (op) {
    case 'add':
      return add(holder, path, value);
    case 'remove':
      return remove(holder, path);
    case 'replace':
      remove(holder, path);
      return add(holder, path, value);
    case 'move': {
      const moved = read(holder, from);
      remove(holder, from);
      return add(holder, path, moved);
    }
    case 'copy':
      return add(holder, path, structuredClone(read(holder, from)));
    case 'test':
      if (!isDeepStrictEqual(read(holder, path), value)) throw invalid(`the test of ${path} does not hold`);
      return undefined;
    default:
      throw badRequest(`a JSON patch knows no operation ${op}`);
  }
}

function read(holder: { root: MutableJson }, path: string): MutableJson {
  let at: MutableJson | undefined = holder.root;
  for (const step of steps(path)) at = Array.isArray(at) ? at[Number(step)] : isObject(at) ? at[step] : undefined;
  if (at === undefined) throw invalid(`there is nothing at ${path}`);
  return at;
}

function add(holder: { root: MutableJson }, path: string, value: MutableJson): void {
  const { parent, last } = parentOf(holder, path);
  if (parent === undefined) holder.root = value;
  else if (Array.isArray(parent)) parent.splice(last === '-' ? parent.length : Number(last), 0, value);
  else parent[last] = value;
}

function remove(holder: { root: MutableJson }, path: string): void {
  read(holder, path);
  const { parent, last } = parentOf(holder, path);
  if (parent === undefined) holder.root = null;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
}

function parentOf(
  holder: { root: MutableJson },
  path: string,
): { parent: MutableJson[] | { [key: string]: MutableJson } | undefined; last: string } {
  const all = steps(path);
  const last = all.pop();
  if (last === undefined) return { parent: undefined, last: '' };
  const parent = read(holder, all.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
  if (typeof parent !== 'object' || parent === null) throw invalid(`nothing can stand at ${path}`);
  return { parent, last };
}

function steps(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
