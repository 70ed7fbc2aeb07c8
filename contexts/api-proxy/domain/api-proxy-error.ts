import { type Catalogue, FleetError } from '#kit/std';

export const API_PROXY_ERRORS = {
  UNAUTHENTICATED: { category: 'unauthenticated', retry: 'after-change' },
  PERMISSION_DENIED: { category: 'forbidden', retry: 'after-change' },
  IMPERSONATION_REFUSED: { category: 'forbidden', retry: 'after-change' },
  CALLER_NOT_NAMEABLE: { category: 'forbidden', retry: 'after-change' },
  NOTHING_THERE: { category: 'not-found', retry: 'after-change' },
  REQUEST_MALFORMED: { category: 'invalid', retry: 'after-change' },
  TOO_MANY_REQUESTS: { category: 'exhausted', retry: 'later' },
  TOO_MANY_STREAMS: { category: 'exhausted', retry: 'later' },
  TARGET_UNREACHABLE: { category: 'unavailable', retry: 'later' },
  SERVER_UNREACHABLE: { category: 'unavailable', retry: 'later' },
  AGENT_REFUSED: { category: 'unavailable', retry: 'after-change' },
  SHUTTING_DOWN: { category: 'unavailable', retry: 'later' },
} as const satisfies Catalogue;

export type ApiProxyErrorCode = keyof typeof API_PROXY_ERRORS;

export class ApiProxyError extends FleetError<ApiProxyErrorCode> {
  get entry() {
    return API_PROXY_ERRORS[this.code];
  }
}
