import { type Catalogue, FleetError } from '#kit/std';

export const DELIVERY_ERRORS = {
  AGENT_TIMED_OUT: { category: 'timeout', retry: 'later' },
  TOO_MANY_ORDERS: { category: 'exhausted', retry: 'later' },
  CONNECTION_LOST: { category: 'unavailable', retry: 'later' },
  AGENT_FAULT: { category: 'unavailable', retry: 'later' },
  BAD_MESSAGE: { category: 'invalid', retry: 'never' },
} as const satisfies Catalogue;

export type DeliveryErrorCode = keyof typeof DELIVERY_ERRORS;

export class DeliveryError extends FleetError<DeliveryErrorCode> {
  get entry() {
    return DELIVERY_ERRORS[this.code];
  }
}
