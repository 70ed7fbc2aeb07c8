import { canonicalJson, type ResourceName, type Uuid } from '#kit/std';
import type { ResourceRef } from './resource-ref.ts';
import type { Role } from './role.ts';
import type { Subject } from './subject.ts';

/** Values that only the addon interprets. The platform merely compares them. */
export type Attributes = Readonly<Record<string, unknown>>;

/** The right that a grant confers: a built-in role, or an addon's permission with attribute values. */
export type Gift =
  | { readonly kind: 'role'; readonly role: Role }
  | { readonly kind: 'permission'; readonly permission: string; readonly attributes: Attributes };

/** Bound to the uid as well: a resource recreated under an old name does not inherit the grants of its predecessor. */
export interface GrantedOn extends ResourceRef {
  readonly uid: string;
}

/**
 * Gives a subject a right on a resource and everything below it. Immutable: to change it, revoke it and create another.
 */
export interface Grant {
  readonly uid: Uuid;
  /** Unique on its resource. */
  readonly name: ResourceName;
  readonly resource: GrantedOn;
  readonly subject: Subject;
  readonly gives: Gift;
  /** The caller that created it: `user:alice`. */
  readonly grantedBy: string;
  readonly createTime: number;
}

export function sameAttributes(a: Attributes, b: Attributes): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** Removes duplicate sets of values; keeps their order. */
export function distinctAttributes(sets: readonly Attributes[]): Attributes[] {
  if (sets.length < 2) return [...sets];
  return [...new Map(sets.map((attributes) => [canonicalJson(attributes), attributes])).values()];
}
