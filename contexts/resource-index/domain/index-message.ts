import type { EffectiveSchema } from './index-schema.ts';
import type { IndexedObject, ObjectKey } from './indexed-object.ts';

/** The state of a type on a target. */
export const TYPE_STATES = ['Listing', 'Followed', 'Forbidden', 'NotServed', 'Troubled'] as const;
export type TypeState = (typeof TYPE_STATES)[number];

export interface TypeReport {
  readonly type: string;
  readonly state: TypeState;
  /** The reason, if it is not followed. */
  readonly message: string;
  readonly objects: number;
}

export interface IndexDelta {
  readonly put: readonly IndexedObject[];
  readonly deleted: readonly ObjectKey[];
  /** Types that are no longer indexed. */
  readonly droppedTypes: readonly string[];
}

export interface IndexAsk {
  readonly exchange: number;
  readonly type: string;
  readonly buckets: readonly number[];
}

/** Messages of an agent, in order. */
export type FromIndexer =
  | { readonly kind: 'hello'; readonly exchange: number }
  | ({ readonly kind: 'ask' } & IndexAsk)
  | ({ readonly kind: 'delta' } & IndexDelta)
  | { readonly kind: 'report'; readonly types: readonly TypeReport[] };

export interface TypeDigest {
  readonly type: string;
  /** One for each bucket. */
  readonly sums: readonly number[];
}

export interface HeldObject {
  readonly namespace: string;
  readonly name: string;
  readonly digest: number;
}

export interface IndexState {
  readonly exchange: number;
  readonly schema: EffectiveSchema;
  /** Types without objects are left out. */
  readonly digests: readonly TypeDigest[];
}

export interface IndexHeld {
  readonly exchange: number;
  readonly type: string;
  readonly objects: readonly HeldObject[];
  readonly isLast: boolean;
}

/** Messages of the platform. */
export type ToIndexer =
  | ({ readonly kind: 'state' } & IndexState)
  | ({ readonly kind: 'held' } & IndexHeld)
  | { readonly kind: 'refresh' };
