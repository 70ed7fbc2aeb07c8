import { type Catalogue, FleetError } from '#kit/std';

export const LEASE_ERRORS = {
  NOT_LEADING: { category: 'unavailable', retry: 'later' },
  EPOCH_ENDED: { category: 'conflict', retry: 'later' },
} as const satisfies Catalogue;

export class LeaseError extends FleetError<keyof typeof LEASE_ERRORS> {
  get entry() {
    return LEASE_ERRORS[this.code];
  }
}

/** Whether a write was refused because this process does not lead, or no longer does. */
export function isNotLeading(error: unknown): error is LeaseError {
  return error instanceof LeaseError;
}
