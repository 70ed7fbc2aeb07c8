import type { ApplyRules, Kind, Resource } from '../kinds/kind.ts';
import type { Place } from '../kinds/place.ts';

/** One thing as a person wants it to be, found to be well formed. */
export interface ApplyDocument {
  readonly kind: Kind;
  readonly rules: ApplyRules<Resource>;
  readonly name: string;
  readonly place: Place;
  readonly spec: Resource;
  /** `workspace/web`, as it is told. */
  readonly key: string;
  /** `tree.yaml, document 2`. */
  readonly where: string;
}

/** What somebody wrote, before anybody looked at it; or why it cannot even be read. */
export type RawDocument = { readonly where: string } & ({ readonly content: unknown } | { readonly fault: string });
