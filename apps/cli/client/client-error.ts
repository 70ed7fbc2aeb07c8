import { type Catalogue, FleetError } from '#kit/std';

/** A request that did not succeed. Each message tells the user what to do. */
export const CLIENT_ERRORS = {
  SERVER_UNREACHABLE: { category: 'unavailable', retry: 'later' },
  SERVER_NOT_TRUSTED: { category: 'precondition', retry: 'after-change' },
  NO_TOKEN: { category: 'unauthenticated', retry: 'after-change' },
  ANSWER_NOT_UNDERSTOOD: { category: 'internal', retry: 'after-change' },
  REQUEST_INVALID: { category: 'invalid', retry: 'after-change' },
  NOT_AUTHENTICATED: { category: 'unauthenticated', retry: 'after-change' },
  PERMISSION_DENIED: { category: 'forbidden', retry: 'after-change' },
  NOT_FOUND: { category: 'not-found', retry: 'never' },
  CONFLICT: { category: 'conflict', retry: 'after-change' },
  EVENTS_GONE: { category: 'not-found', retry: 'after-change' },
  SERVER_BUSY: { category: 'unavailable', retry: 'later' },
  SERVER_FAILED: { category: 'internal', retry: 'later' },
} as const satisfies Catalogue;

export type ClientErrorCode = keyof typeof CLIENT_ERRORS;

export class ClientError extends FleetError<ClientErrorCode> {
  get entry() {
    return CLIENT_ERRORS[this.code];
  }
}
