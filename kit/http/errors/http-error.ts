import { type CatalogueEntry, FleetError, type FleetErrorOptions } from '#kit/std';

interface HttpCatalogueEntry extends CatalogueEntry {
  readonly status: number;
  readonly title: string;
}

/** Errors of the HTTP layer itself. Every other code comes from the module that threw it. */
export const HTTP_ERRORS = {
  VALIDATION_FAILED: { category: 'invalid', retry: 'after-change', status: 400, title: 'The request is not valid' },
  MALFORMED_REQUEST: {
    category: 'invalid',
    retry: 'after-change',
    status: 400,
    title: 'The request is not valid HTTP',
  },
  MALFORMED_JSON: { category: 'invalid', retry: 'after-change', status: 400, title: 'The body is not JSON' },
  INVALID_FILTER: { category: 'invalid', retry: 'after-change', status: 400, title: 'The filter is not valid' },
  INVALID_PAGE_TOKEN: { category: 'invalid', retry: 'after-change', status: 400, title: 'The page token is not valid' },
  UNAUTHENTICATED: {
    category: 'unauthenticated',
    retry: 'after-change',
    status: 401,
    title: 'Credentials are required',
  },
  PERMISSION_DENIED: { category: 'forbidden', retry: 'after-change', status: 403, title: 'Permission denied' },
  ROUTE_NOT_FOUND: { category: 'not-found', retry: 'never', status: 404, title: 'There is nothing at this path' },
  METHOD_NOT_ALLOWED: { category: 'invalid', retry: 'never', status: 405, title: 'The method is not allowed' },
  REQUEST_TOO_SLOW: { category: 'timeout', retry: 'later', status: 408, title: 'The request did not arrive in time' },
  SECRET_ALREADY_SHOWN: { category: 'conflict', retry: 'never', status: 409, title: 'The secret was already shown' },
  EVENTS_EXPIRED: { category: 'not-found', retry: 'after-change', status: 410, title: 'These events are gone' },
  PRECONDITION_FAILED: {
    category: 'precondition',
    retry: 'after-change',
    status: 412,
    title: 'The resource has changed',
  },
  BODY_TOO_LARGE: { category: 'invalid', retry: 'after-change', status: 413, title: 'The body is too large' },
  URI_TOO_LONG: { category: 'invalid', retry: 'after-change', status: 414, title: 'The address is too long' },
  UNSUPPORTED_MEDIA_TYPE: {
    category: 'invalid',
    retry: 'after-change',
    status: 415,
    title: 'The media type is not supported',
  },
  EXPECTATION_FAILED: {
    category: 'invalid',
    retry: 'after-change',
    status: 417,
    title: 'The expectation cannot be met',
  },
  IDEMPOTENCY_KEY_REUSED: {
    category: 'invalid',
    retry: 'after-change',
    status: 422,
    title: 'The idempotency key was used before',
  },
  PRECONDITION_REQUIRED: {
    category: 'precondition',
    retry: 'after-change',
    status: 428,
    title: 'If-Match is required',
  },
  RATE_LIMITED: { category: 'exhausted', retry: 'later', status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { category: 'invalid', retry: 'after-change', status: 431, title: 'The headers are too large' },
  CLIENT_GONE: { category: 'unavailable', retry: 'never', status: 499, title: 'The client disconnected' },
  INTERNAL_ERROR: { category: 'internal', retry: 'later', status: 500, title: 'Internal error' },
  OVERLOADED: { category: 'unavailable', retry: 'later', status: 503, title: 'The server is overloaded' },
  SHUTTING_DOWN: { category: 'unavailable', retry: 'later', status: 503, title: 'Shutting down' },
  REQUEST_TIMEOUT: { category: 'timeout', retry: 'later', status: 504, title: 'The request timed out' },
} as const satisfies Readonly<Record<string, HttpCatalogueEntry>>;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;

export interface HttpErrorOptions extends FleetErrorOptions {
  /** Headers that the response must carry in addition to the document: `Allow`, `Retry-After`, `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class HttpError extends FleetError<HttpErrorCode> {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, message: string, options: HttpErrorOptions = {}) {
    super(code, message, options);
    this.headers = options.headers ?? {};
  }

  get entry() {
    return HTTP_ERRORS[this.code];
  }
}
