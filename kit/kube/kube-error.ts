import { type Catalogue, FleetError } from '#kit/std';

/** The first group has the API server's own reasons, as in its `Status`; the second has errors before and around it. */
export const KUBE_ERRORS = {
  BAD_REQUEST: { category: 'invalid', retry: 'never' },
  UNAUTHORIZED: { category: 'unauthenticated', retry: 'after-change' },
  FORBIDDEN: { category: 'forbidden', retry: 'after-change' },
  NOT_FOUND: { category: 'not-found', retry: 'never' },
  METHOD_NOT_ALLOWED: { category: 'invalid', retry: 'never' },
  NOT_ACCEPTABLE: { category: 'invalid', retry: 'never' },
  UNSUPPORTED_MEDIA_TYPE: { category: 'invalid', retry: 'never' },
  ALREADY_EXISTS: { category: 'conflict', retry: 'never' },
  CONFLICT: { category: 'conflict', retry: 'after-change' },
  EXPIRED: { category: 'precondition', retry: 'after-change' },
  INVALID: { category: 'invalid', retry: 'never' },
  REQUEST_TOO_LARGE: { category: 'invalid', retry: 'never' },
  TOO_MANY_REQUESTS: { category: 'exhausted', retry: 'later' },
  SERVER_TIMEOUT: { category: 'timeout', retry: 'later' },
  SERVICE_UNAVAILABLE: { category: 'unavailable', retry: 'later' },
  SERVER_ERROR: { category: 'unavailable', retry: 'later' },

  KIND_NOT_SERVED: { category: 'not-found', retry: 'after-change' },
  ADDRESS_REFUSED: { category: 'forbidden', retry: 'after-change' },
  CONNECTION_REFUSED: { category: 'unavailable', retry: 'later' },
  CONNECTION_LOST: { category: 'unavailable', retry: 'later' },
  CERTIFICATE_REFUSED: { category: 'precondition', retry: 'after-change' },
  PROXY_REFUSED: { category: 'unavailable', retry: 'after-change' },
  TIMED_OUT: { category: 'timeout', retry: 'later' },
  OUTCOME_UNKNOWN: { category: 'unavailable', retry: 'after-change' },
  RESPONSE_TOO_LARGE: { category: 'exhausted', retry: 'after-change' },
  RESPONSE_INVALID: { category: 'internal', retry: 'never' },
  OVERLOADED: { category: 'exhausted', retry: 'later' },
  CLOSED: { category: 'unavailable', retry: 'never' },
  CREDENTIALS_UNAVAILABLE: { category: 'unauthenticated', retry: 'later' },
  CONFIG_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  CONFIG_INVALID: { category: 'invalid', retry: 'after-change' },
  CONFIG_UNSUPPORTED: { category: 'invalid', retry: 'after-change' },
} as const satisfies Catalogue;

export type KubeErrorCode = keyof typeof KUBE_ERRORS;

/** `details.status` has the server's `Status` object, if there is one, and `details.httpStatus` the status code. */
export class KubeError extends FleetError<KubeErrorCode> {
  get entry() {
    return KUBE_ERRORS[this.code];
  }
}

/** Whether the error is a `KubeError` with one of these codes: `isKubeError(error, 'NOT_FOUND')`. */
export function isKubeError(error: unknown, ...codes: readonly KubeErrorCode[]): error is KubeError {
  return error instanceof KubeError && (codes.length === 0 || codes.includes(error.code));
}
