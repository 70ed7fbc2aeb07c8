import type { FieldFault } from '#kit/std';
import { KubeError, type KubeErrorCode } from '../kube-error.ts';

/** The relevant fields of the API server's `Status`. */
export interface Status {
  readonly kind: 'Status';
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
    readonly retryAfterSeconds?: number;
  };
}

const BY_REASON: Readonly<Record<string, KubeErrorCode>> = {
  BadRequest: 'BAD_REQUEST',
  Unauthorized: 'UNAUTHORIZED',
  Forbidden: 'FORBIDDEN',
  NotFound: 'NOT_FOUND',
  MethodNotAllowed: 'METHOD_NOT_ALLOWED',
  NotAcceptable: 'NOT_ACCEPTABLE',
  UnsupportedMediaType: 'UNSUPPORTED_MEDIA_TYPE',
  AlreadyExists: 'ALREADY_EXISTS',
  Conflict: 'CONFLICT',
  Gone: 'EXPIRED',
  Expired: 'EXPIRED',
  Invalid: 'INVALID',
  RequestEntityTooLarge: 'REQUEST_TOO_LARGE',
  TooManyRequests: 'TOO_MANY_REQUESTS',
  ServerTimeout: 'SERVER_TIMEOUT',
  Timeout: 'SERVER_TIMEOUT',
  ServiceUnavailable: 'SERVICE_UNAVAILABLE',
  InternalError: 'SERVER_ERROR',
};

const BY_NUMBER: Readonly<Record<number, KubeErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  409: 'CONFLICT',
  410: 'EXPIRED',
  413: 'REQUEST_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'INVALID',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
  504: 'SERVER_TIMEOUT',
};

interface Refusal {
  /** The action that failed: `get configmaps/settings`. */
  readonly doing: string;
  readonly httpStatus: number;
  readonly body: unknown;
}

/** A proxy, or an aggregated server, may respond without a `Status`: then only the status code is used. */
export function statusError({ doing, httpStatus, body }: Refusal): KubeError {
  if (!isStatus(body)) {
    return new KubeError(codeOfNumber(httpStatus), `${doing}: the server answered ${httpStatus}`, {
      details: { httpStatus },
    });
  }
  const code = BY_REASON[body.reason ?? ''] ?? codeOfNumber(body.code ?? httpStatus);
  return new KubeError(code, `${doing}: ${body.message || body.reason || `the server answered ${httpStatus}`}`, {
    details: { httpStatus, status: body },
    faults: faultsOf(body),
  });
}

function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'Status';
}

function codeOfNumber(httpStatus: number): KubeErrorCode {
  return BY_NUMBER[httpStatus] ?? (httpStatus >= 500 ? 'SERVER_ERROR' : 'BAD_REQUEST');
}

function faultsOf({ details }: Status): FieldFault[] {
  return (details?.causes ?? []).flatMap(({ field, message = '' }) =>
    field ? [{ path: `/${field.replaceAll('.', '/')}`, message }] : [],
  );
}
