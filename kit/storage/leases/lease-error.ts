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
