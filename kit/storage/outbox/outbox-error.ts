import { type Catalogue, FleetError } from '#kit/std';

export const OUTBOX_ERRORS = {
  INVALID_EVENT: { category: 'invalid', retry: 'never' },
  HANDLER_TIMED_OUT: { category: 'timeout', retry: 'later' },
  DEAD_LETTER_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  CONSUMER_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
} as const satisfies Catalogue;

export type OutboxErrorCode = keyof typeof OUTBOX_ERRORS;

export class OutboxError extends FleetError<OutboxErrorCode> {
  get entry() {
    return OUTBOX_ERRORS[this.code];
  }
}
