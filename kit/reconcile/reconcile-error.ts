import { type Catalogue, FleetError } from '#kit/std';

export const RECONCILE_ERRORS = {
  RUNNABLE_FAILED: { category: 'internal', retry: 'later' },
  RUNNABLE_STOPPED: { category: 'internal', retry: 'later' },
  STOP_TIMED_OUT: { category: 'timeout', retry: 'later' },
  RECONCILE_TIMED_OUT: { category: 'timeout', retry: 'later' },
  TERMINAL: { category: 'invalid', retry: 'after-change' },
} as const satisfies Catalogue;

export type ReconcileErrorCode = keyof typeof RECONCILE_ERRORS;

export class ReconcileError extends FleetError<ReconcileErrorCode> {
  get entry() {
    return RECONCILE_ERRORS[this.code];
  }
}
