import { type Catalogue, FleetError } from '#kit/std';

export const DURABLE_ERRORS = {
  WORKFLOW_NOT_FOUND: { category: 'not-found', retry: 'never' },
  WORKFLOW_EXISTS: { category: 'conflict', retry: 'never' },
  WORKFLOW_ENDED: { category: 'conflict', retry: 'never' },
  WORKFLOW_FAILED: { category: 'internal', retry: 'never' },
  WORKFLOW_CANCELLED: { category: 'conflict', retry: 'never' },
  WORKFLOW_PARKED: { category: 'internal', retry: 'after-change' },
  WORKFLOW_UNKNOWN: { category: 'invalid', retry: 'after-change' },
  ACTIVITY_UNKNOWN: { category: 'invalid', retry: 'after-change' },
  ACTIVITY_FAILED: { category: 'internal', retry: 'never' },
  QUERY_UNKNOWN: { category: 'not-found', retry: 'never' },
  PAYLOAD_TOO_LARGE: { category: 'invalid', retry: 'never' },
  PAYLOAD_NOT_JSON: { category: 'invalid', retry: 'never' },
  TOO_MANY_PENDING: { category: 'exhausted', retry: 'never' },
  HISTORY_TOO_LONG: { category: 'exhausted', retry: 'never' },
  REPLAY_DIVERGED: { category: 'internal', retry: 'after-change' },
  ENGINE_STOPPED: { category: 'unavailable', retry: 'later' },
} as const satisfies Catalogue;

export type DurableErrorCode = keyof typeof DURABLE_ERRORS;

export class DurableError extends FleetError<DurableErrorCode> {
  get entry() {
    return DURABLE_ERRORS[this.code];
  }
}
