import { canonicalJson, type ResourceName, type Uuid } from '#kit/std';
import type { ResourceRef } from './resource-ref.ts';
import type { Role } from './role.ts';
import type { Subject } from './subject.ts';

/** Values whose meaning an addon knows. The platform compares them, and no more. */
export type Attributes = Readonly<Record<string, unknown>>;

/** What a grant gives: one of our roles, or an addon's permission with attribute values. */
export type Gift =
  | { readonly kind: 'role'; readonly role: Role }
  | { readonly kind: 'permission'; readonly permission: string; readonly attributes: Attributes };

/** Bound to the uid too: what is made again under an old name does not inherit what was granted on the old one. */
export interface GrantedOn extends ResourceRef {
  readonly uid: string;
}

/** Who may do what, where, and on everything below it. Never changed: one takes it back and grants another. */
export interface Grant {
  readonly uid: Uuid;
  /** Unique on its resource. */
  readonly name: ResourceName;
  readonly resource: GrantedOn;
  readonly subject: Subject;
  readonly gives: Gift;
  /** Whose decision it was: `user:alice`. */
  readonly grantedBy: string;
  readonly createTime: number;
}

export function sameAttributes(a: Attributes, b: Attributes): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** Each set of values once, in the order in which they were found. */
export function distinctAttributes(sets: readonly Attributes[]): Attributes[] {
  if (sets.length < 2) return [...sets];
  return [...new Map(sets.map((attributes) => [canonicalJson(attributes), attributes])).values()];
}
