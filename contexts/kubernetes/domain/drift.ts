import { contentHash } from '#kit/std';
import { pathText } from './field-path.ts';
import type { FieldPattern } from './field-pattern.ts';
import { appliedFields, type FieldSet, fieldsOf, leavesOf, placesOf } from './field-set.ts';
import { withoutIgnored } from './ignore-fields.ts';
import { FIELD_MANAGER, type KubeObject } from './kube-object.ts';
import { isSame } from './object-diff.ts';

/** Result of an apply on the server: the fields we own, and their values. */
export interface AppliedState {
  readonly uid: string | undefined;
  readonly fields: FieldSet;
  readonly object: KubeObject;
}

export interface DriftedField {
  readonly path: string;
  /** The manager that has the field now; `undefined` if there is none, as after the field was removed. */
  readonly manager: string | undefined;
}

export type Drift =
  | { readonly kind: 'none' }
  | { readonly kind: 'deleted' }
  /** Another object with the same name. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'changed'; readonly fields: readonly DriftedField[] };

export function appliedState(answer: KubeObject): AppliedState {
  return { uid: answer.metadata.uid, fields: appliedFields(answer, FIELD_MANAGER), object: answer };
}

/** Unchanged as long as the live object is as applied. Stored in the inventory, it saves requests after a restart. */
export function heldHash(live: KubeObject, patterns: readonly FieldPattern[]): string {
  const leaves = leavesOf(withoutIgnored(live, patterns), appliedFields(live, FIELD_MANAGER));
  return contentHash(leaves.map(({ steps, value }) => [pathText(steps), value]).sort(byPath));
}

/** How a live object differs from what was applied. Only our fields count; fields added by others are ignored. */
export function driftOf(applied: AppliedState, live: KubeObject | undefined, patterns: readonly FieldPattern[]): Drift {
  if (live === undefined) return { kind: 'deleted' };
  if (live.metadata.uid !== applied.uid) return { kind: 'replaced' };
  const now = new Map(
    leavesOf(withoutIgnored(live, patterns), applied.fields).map(({ steps, value }) => [pathText(steps), value]),
  );
  const fields = leavesOf(withoutIgnored(applied.object, patterns), applied.fields)
    .map(({ steps, value }) => ({ path: pathText(steps), value }))
    .filter(({ path, value }) => !isSame(now.get(path), value))
    .map(({ path }) => ({ path, manager: managerOf(live, path) }))
    .sort((one, two) => (one.path < two.path ? -1 : 1));
  return fields.length === 0 ? { kind: 'none' } : { kind: 'changed', fields };
}

/** A manager of the field itself is preferred to one that owns a field above or below it. */
function managerOf({ metadata }: KubeObject, path: string): string | undefined {
  const claims = (metadata.managedFields ?? [])
    .filter(({ manager }) => manager !== FIELD_MANAGER)
    .flatMap((entry) => placesOf(fieldsOf(entry)).map((place) => ({ manager: entry.manager, place: pathText(place) })))
    .filter(({ place }) => place === path || isBelow(place, path) || isBelow(path, place));
  return (claims.find(({ place }) => place === path) ?? claims[0])?.manager;
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(above) && ['.', '['].includes(path.charAt(above.length));
}

function byPath([one]: readonly unknown[], [two]: readonly unknown[]): number {
  return String(one) < String(two) ? -1 : 1;
}
