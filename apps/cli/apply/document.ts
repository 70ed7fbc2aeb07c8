import type { ApplyRules, Kind, Resource } from '../kinds/kind.ts';
import type { Place } from '../kinds/place.ts';

/** A validated document: the desired state of one resource. */
export interface ApplyDocument {
  readonly kind: Kind;
  readonly rules: ApplyRules<Resource>;
  readonly name: string;
  readonly place: Place;
  readonly spec: Resource;
  /** `workspace/web`, as shown in output. */
  readonly key: string;
  /** `tree.yaml, document 2`. */
  readonly where: string;
}

/** A document before validation, or the reason why it cannot be parsed. */
export type RawDocument = { readonly where: string } & ({ readonly content: unknown } | { readonly fault: string });
