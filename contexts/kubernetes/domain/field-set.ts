import type { Json, JsonObject } from '#kit/std';
import { type FieldStep, hasKeys } from './field-path.ts';
import { isJsonObject } from './json-value.ts';
import type { KubeObject, ManagedFields } from './kube-object.ts';

/** Fields of an object, in the format of `fieldsV1` in `managedFields`. */
export type FieldSet = JsonObject;

/** A place in an object and its value. */
export interface Leaf {
  readonly steps: readonly FieldStep[];
  readonly value: unknown;
}

/** Fields that a manager applied on the object itself, without subresources. */
export function appliedFields({ metadata }: KubeObject, manager: string): FieldSet {
  const its = metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && !entry.subresource,
  );
  return its === undefined ? {} : fieldsOf(its);
}

export function fieldsOf({ fieldsV1 }: ManagedFields): FieldSet {
  return isJsonObject(fieldsV1) ? fieldsV1 : {};
}

/** The deepest places that the set names and the object has. */
export function leavesOf(object: unknown, set: FieldSet): Leaf[] {
  const leaves: Leaf[] = [];
  collect({ value: object, set, steps: [] }, leaves);
  return leaves;
}

/** Every place that a set names, whether or not an object has it. */
export function placesOf(set: FieldSet, before: readonly FieldStep[] = []): (readonly FieldStep[])[] {
  return Object.entries(set).flatMap(([name, inner]) => {
    const step = stepOf(name);
    if (step === undefined) return [];
    const steps = [...before, step];
    const below = isJsonObject(inner) ? placesOf(inner, steps) : [];
    return below.length === 0 ? [steps] : below;
  });
}

/** Everything that any of the sets names. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const union: Record<string, Json> = {};
  for (const set of sets) {
    for (const [name, inner] of Object.entries(set)) {
      const before = union[name];
      union[name] = isJsonObject(before) && isJsonObject(inner) ? unionOf([before, inner]) : inner;
    }
  }
  return union;
}

interface Place {
  readonly value: unknown;
  readonly set: FieldSet;
  readonly steps: readonly FieldStep[];
}

function collect({ value, set, steps }: Place, leaves: Leaf[]): void {
  const inner = Object.entries(set).filter(([name]) => name !== '.');
  if (inner.length === 0) {
    // A dot alone only owns the existence of the field: its contents may belong to others.
    if (steps.length > 0) leaves.push({ steps, value: Object.hasOwn(set, '.') ? bare(value) : value });
    return;
  }
  for (const [name, below] of inner) {
    const step = stepOf(name);
    const found = step === undefined ? undefined : valueAt(value, step);
    if (step === undefined || found === undefined) continue;
    collect({ value: found, set: isJsonObject(below) ? below : {}, steps: [...steps, step] }, leaves);
  }
}

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isJsonObject(value) ? {} : value;
}

function valueAt(value: unknown, step: FieldStep): unknown {
  if (step.kind === 'field')
    return isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
  if (!Array.isArray(value)) return undefined;
  const items: readonly unknown[] = value;
  if (step.kind === 'index') return items[step.index];
  if (step.kind === 'value') return items.find((item) => item === step.value);
  return items.find((item) => hasKeys(item, step.keys));
}

/** Parses `f:spec`, `k:{"name":"web"}`, `v:"a"`, `i:0`. `undefined` for the dot, and for prefixes of later releases. */
function stepOf(name: string): FieldStep | undefined {
  const rest = name.slice(2);
  try {
    if (name.startsWith('f:')) return { kind: 'field', name: rest };
    if (name.startsWith('v:')) return { kind: 'value', value: JSON.parse(rest) as unknown };
    if (name.startsWith('i:')) return { kind: 'index', index: Number(rest) };
    if (!name.startsWith('k:')) return undefined;
    const keys: unknown = JSON.parse(rest);
    return isJsonObject(keys) ? { kind: 'key', keys } : undefined;
  } catch {
    return undefined;
  }
}
