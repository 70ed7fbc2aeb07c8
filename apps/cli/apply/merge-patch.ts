import { canonicalJson } from '#kit/std';
import type { Resource } from '../kinds/kind.ts';

/**
 * Returns the JSON merge patch (RFC 7396) that turns `current` into `wanted`, or undefined when they are equal. Objects
 * are compared member by member; `null` stands for an absent member.
 */
export function mergePatch(current: unknown, wanted: unknown): unknown {
  if (!isObject(wanted)) return sameJson(current ?? null, wanted) ? undefined : wanted;
  const before = isObject(current) ? current : {};
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(wanted)])) {
    const change = mergePatch(member(before, name), member(wanted, name) ?? null);
    if (change !== undefined) Object.defineProperty(patch, name, { value: change, enumerable: true });
  }
  if (Object.keys(patch).length > 0) return patch;
  return isObject(current) ? undefined : {};
}

export function sameJson(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

export function isObject(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(object: Resource, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
