import { canonicalJson, type FieldFault } from '#kit/std';
import type { IndexedKind, IndexField } from './index-schema.ts';

/** Kinds, and the name of their origin for messages. */
export interface NamedKinds {
  readonly of: string;
  readonly kinds: readonly IndexedKind[];
}

/**
 * Merges the kinds of all schemas, in their order. Kinds, and fields of a kind, add up; identical ones count once. Where two
 * conflict the first wins: conflicts are refused when a schema is written, and arise later only when workspaces or targets are
 * moved.
 */
export function mergeKinds(all: readonly NamedKinds[]): readonly IndexedKind[] {
  const merged = new Map<string, IndexedKind>();
  for (const { kinds } of all) {
    for (const kind of kinds) {
      const before = merged.get(kind.type);
      merged.set(kind.type, before === undefined ? kind : joined(before, kind));
    }
  }
  return [...merged.values()];
}

/** The conflicts of these kinds with others that may apply to the same target. */
export function conflictsWith(kinds: readonly IndexedKind[], others: readonly NamedKinds[]): readonly FieldFault[] {
  return kinds.flatMap((kind, index) =>
    others.flatMap(({ of, kinds: theirs }) => {
      const other = theirs.find(({ type }) => type === kind.type);
      return other === undefined ? [] : kindConflicts(kind, other, { at: `/kinds/${index}`, of });
    }),
  );
}

interface Where {
  readonly at: string;
  readonly of: string;
}

function kindConflicts(kind: IndexedKind, other: IndexedKind, { at, of }: Where): FieldFault[] {
  const faults = kind.fields.flatMap((field, index) => {
    const same = other.fields.find(({ name }) => name === field.name);
    if (same === undefined || isSameField(same, field)) return [];
    return [{ path: `${at}/fields/${index}`, message: `${of} defines the field ${field.name} differently` }];
  });
  if (saysBoth(kind.health, other.health))
    faults.push({ path: `${at}/health`, message: `${of} defines it differently` });
  // The schema that introduces a kind decides which objects are indexed; others leave `only` out, or repeat it.
  if (saysBoth(kind.only, other.only)) faults.push({ path: `${at}/only`, message: `${of} defines it differently` });
  if (kind.expiry !== undefined && other.expiry !== undefined && !isSame(kind.expiry, other.expiry)) {
    faults.push({ path: `${at}/expiry`, message: `${of} defines it differently` });
  }
  return faults;
}

function saysBoth(one: readonly object[], other: readonly object[]): boolean {
  return one.length > 0 && other.length > 0 && !isSame(one, other);
}

function joined(before: IndexedKind, kind: IndexedKind): IndexedKind {
  const more = kind.fields.filter(({ name }) => before.fields.every((field) => field.name !== name));
  return {
    type: before.type,
    fields: [...before.fields, ...more],
    health: before.health.length > 0 ? before.health : kind.health,
    only: before.only.length > 0 ? before.only : kind.only,
    expiry: before.expiry ?? kind.expiry,
  };
}

function isSameField(one: IndexField, other: IndexField): boolean {
  return one.path === other.path && one.type === other.type;
}

function isSame(one: object, other: object): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
