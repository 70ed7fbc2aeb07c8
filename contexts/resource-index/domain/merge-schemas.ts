import { canonicalJson, type FieldFault } from '#kit/std';
import type { IndexedKind, IndexField } from './index-schema.ts';

/** Kinds together with whose they are, in words. */
export interface NamedKinds {
  readonly of: string;
  readonly kinds: readonly IndexedKind[];
}

/**
 * What all of them together want, in their order. More kinds, and more fields of a kind, add up; the same said twice is the
 * same. Where two contradict each other the first is right: that is refused when it is written, and can come about later
 * only by moving things in the tree.
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

/** What of these kinds contradicts the others, each of which it would meet on some target. */
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
    return [{ path: `${at}/fields/${index}`, message: `${of} has another field ${field.name}` }];
  });
  if (saysBoth(kind.health, other.health)) faults.push({ path: `${at}/health`, message: `${of} says it differently` });
  // Whether an object is indexed is said whole by whoever brings the kind; others leave it open, or say the same.
  if (saysBoth(kind.only, other.only)) faults.push({ path: `${at}/only`, message: `${of} says it differently` });
  if (kind.expiry !== undefined && other.expiry !== undefined && !isSame(kind.expiry, other.expiry)) {
    faults.push({ path: `${at}/expiry`, message: `${of} says it differently` });
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
