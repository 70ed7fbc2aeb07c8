import { contentHash } from '#kit/std';

/** How an object is, whatever it is an object of. */
export const OBJECT_HEALTHS = ['Healthy', 'Progressing', 'Degraded', 'Failed', 'Unknown'] as const;
export type ObjectHealth = (typeof OBJECT_HEALTHS)[number];

/**
 * What a field holds. Of several values at a path: `number` is their sum, `strings` all of them, any other the first.
 * `keys` are the names of the properties of what is there, and never what they hold.
 */
export const FIELD_TYPES = ['string', 'number', 'boolean', 'time', 'strings', 'keys'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface IndexField {
  readonly name: string;
  readonly path: string;
  readonly type: FieldType;
}

/** What has to be so of the values at a path: exactly one of the three. */
export interface Check {
  readonly path: string;
  /** One of them is one of these. */
  readonly in?: readonly string[];
  /** There is one, or there is none. */
  readonly exists?: boolean;
  /** The number there is below that at this other path. A number that is not there is 0. */
  readonly below?: string;
}

/** The first rule of a kind whose checks all hold says how an object is. */
export interface IndexHealthRule {
  readonly health: ObjectHealth;
  readonly when: readonly Check[];
}

/** How long objects of a kind are of interest, from the first of the times that they have. */
export interface Expiry {
  readonly afterMs: number;
  readonly from: readonly string[];
}

export interface IndexedKind {
  /** What its agent calls it; of Kubernetes, `v1/Pod` or `apps/v1/Deployment`. */
  readonly type: string;
  readonly fields: readonly IndexField[];
  /** Empty: by its conditions. */
  readonly health: readonly IndexHealthRule[];
  /** Only objects of which all of these hold. */
  readonly only: readonly Check[];
  readonly expiry: Expiry | undefined;
}

/** What one resource of the API says. */
export interface IndexSchemaSpec {
  readonly targetType: string;
  readonly kinds: readonly IndexedKind[];
}

/** What an agent is told: all that is to be indexed of a target, in the order in which it is to be told. */
export interface EffectiveSchema {
  readonly revision: string;
  readonly kinds: readonly IndexedKind[];
}

export function effectiveSchema(kinds: readonly IndexedKind[]): EffectiveSchema {
  return { revision: contentHash(kinds.map(plain)), kinds };
}

/** Two kinds are indexed alike when these are equal. */
export function plain({ expiry, ...kind }: IndexedKind): object {
  return expiry === undefined ? kind : { ...kind, expiry };
}
