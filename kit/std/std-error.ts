import { type Catalogue, FleetError } from './errors.ts';

export const STD_ERRORS = {
  INVALID_UUID: { category: 'invalid', retry: 'never' },
  INVALID_NAME: { category: 'invalid', retry: 'never' },
  INVALID_DURATION: { category: 'invalid', retry: 'never' },
  NOT_JSON: { category: 'invalid', retry: 'never' },
  QUEUE_CLOSED: { category: 'unavailable', retry: 'never' },
  RETRIES_EXHAUSTED: { category: 'unavailable', retry: 'later' },
} as const satisfies Catalogue;

export type StdErrorCode = keyof typeof STD_ERRORS;

export class StdError extends FleetError<StdErrorCode> {
  get entry() {
    return STD_ERRORS[this.code];
  }
}
