import { contentHash } from '#kit/std';

/** The health of an object of any kind. */
export const OBJECT_HEALTHS = ['Healthy', 'Progressing', 'Degraded', 'Failed', 'Unknown'] as const;
export type ObjectHealth = (typeof OBJECT_HEALTHS)[number];

/**
 * The value of a field. With several values at a path, `number` is their sum, `strings` contains all, any other type takes the
 * first. `keys` are the property names of the value, and never their contents.
 */
export const FIELD_TYPES = ['string', 'number', 'boolean', 'time', 'strings', 'keys'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface IndexField {
  readonly name: string;
  readonly path: string;
  readonly type: FieldType;
}

/** A condition on the values at a path. Exactly one of `in`, `exists` and `below` is set. */
export interface Check {
  readonly path: string;
  /** At least one value is one of these. */
  readonly in?: readonly string[];
  /** Whether there is a value. */
  readonly exists?: boolean;
  /** The number is below the one at this other path. A missing number counts as 0. */
  readonly below?: string;
}

/** The first rule whose checks all hold determines the health. */
export interface IndexHealthRule {
  readonly health: ObjectHealth;
  readonly when: readonly Check[];
}

/** How long objects of a kind are kept, counted from the first of these times that an object has. */
export interface Expiry {
  readonly afterMs: number;
  readonly from: readonly string[];
}

export interface IndexedKind {
  /** The agent's name for the kind; on Kubernetes `v1/Pod` or `apps/v1/Deployment`. */
  readonly type: string;
  readonly fields: readonly IndexField[];
  /** Empty: health follows from the conditions. */
  readonly health: readonly IndexHealthRule[];
  /** Only objects for which all of these checks hold are indexed. */
  readonly only: readonly Check[];
  readonly expiry: Expiry | undefined;
}

/** The specification of an index schema resource. */
export interface IndexSchemaSpec {
  readonly targetType: string;
  readonly kinds: readonly IndexedKind[];
}

/** Everything that an agent has to index of a target, in the order in which it reports it. */
export interface EffectiveSchema {
  readonly revision: string;
  readonly kinds: readonly IndexedKind[];
}

export function effectiveSchema(kinds: readonly IndexedKind[]): EffectiveSchema {
  return { revision: contentHash(kinds.map(plain)), kinds };
}

/** Two kinds are indexed alike when these values are equal. */
export function plain({ expiry, ...kind }: IndexedKind): object {
  return expiry === undefined ? kind : { ...kind, expiry };
}
