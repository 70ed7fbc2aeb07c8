import { type Catalogue, FleetError } from '../../std/index.ts';

export const TEMPORAL_ERRORS = {
  TEMPORAL_NOT_INSTALLED: { category: 'precondition', retry: 'after-change' },
  TEMPORAL_URL_INVALID: { category: 'invalid', retry: 'after-change' },
  TEMPORAL_UNREACHABLE: { category: 'unavailable', retry: 'later' },
  WORKFLOWS_NOT_BUNDLED: { category: 'internal', retry: 'after-change' },
} as const satisfies Catalogue;

export type TemporalErrorCode = keyof typeof TEMPORAL_ERRORS;

/** Errors of the connection to Temporal. Errors of workflows are `DurableError`s, as on every engine. */
export class TemporalError extends FleetError<TemporalErrorCode> {
  get entry() {
    return TEMPORAL_ERRORS[this.code];
  }
}
