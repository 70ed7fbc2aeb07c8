import type { ErrorCategory } from '#kit/std';

/** A refusal in the format of Kubernetes, which its clients print as if it came from the API server. */
export interface KubeStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly details?: { readonly retryAfterSeconds: number };
  readonly code: number;
}

const WORDS: Readonly<Record<ErrorCategory, readonly [code: number, reason: string]>> = {
  invalid: [400, 'BadRequest'],
  unauthenticated: [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  'not-found': [404, 'NotFound'],
  conflict: [409, 'Conflict'],
  precondition: [412, 'Conflict'],
  exhausted: [429, 'TooManyRequests'],
  unavailable: [503, 'ServiceUnavailable'],
  timeout: [504, 'Timeout'],
  internal: [500, 'InternalError'],
};

export function statusOf(category: ErrorCategory, message: string, retryAfterSeconds?: number): KubeStatus {
  const [code, reason] = WORDS[category];
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code,
  };
}
