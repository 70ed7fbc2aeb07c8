import type { Sleep } from '#kit/std';
import type { Claims } from './claims.ts';
import type { Ledger } from './ledger.ts';
import type { Delivery, SurveyDeps } from './survey.ts';

export interface CarryOutDeps extends SurveyDeps {
  readonly sleep: Sleep;
  /** How long to wait between looks whether something is established or gone; after the last one it is tried later. */
  readonly looksMs: readonly number[];
}

/** One delivery, and what is known so far. */
export interface Job {
  readonly delivery: Delivery;
  readonly ledger: Ledger;
  readonly claims: Claims;
  /** Nobody wants it any longer: asked before each object. */
  readonly isOver: () => boolean;
  /** The cluster does not have the order yet: resolves once it does. Missing where it has. */
  readonly kept?: (signal: AbortSignal) => Promise<void>;
  /** As the server then had them, by identity: a watch may be behind. */
  readonly versions: Map<string, string>;
}
