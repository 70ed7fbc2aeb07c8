import { type Catalogue, FleetError } from '#kit/std';

export const LEADER_ERRORS = {
  LEASE_LOST: { category: 'unavailable', retry: 'later' },
  LEASE_TAKEN: { category: 'conflict', retry: 'never' },
  LEASE_TIMED_OUT: { category: 'timeout', retry: 'later' },
} as const satisfies Catalogue;

export type LeaderErrorCode = keyof typeof LEADER_ERRORS;

export class LeaderError extends FleetError<LeaderErrorCode> {
  get entry() {
    return LEADER_ERRORS[this.code];
  }
}
