import { type Catalogue, FleetError } from '#kit/std';

export const GOVERNANCE_ERRORS = {
  INVALID_PERIOD: { category: 'invalid', retry: 'after-change' },
  SUBTREE_OF_NOTHING: { category: 'invalid', retry: 'after-change' },
  INVALID_AMOUNT: { category: 'internal', retry: 'never' },
  HEAD_NOT_SHIPPED: { category: 'unavailable', retry: 'later' },
  CHAIN_UNREADABLE: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type GovernanceErrorCode = keyof typeof GOVERNANCE_ERRORS;

export class GovernanceError extends FleetError<GovernanceErrorCode> {
  get entry() {
    return GOVERNANCE_ERRORS[this.code];
  }
}
