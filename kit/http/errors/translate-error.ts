import { FleetError } from '#kit/std';
import { HttpError, type HttpErrorCode } from './http-error.ts';

/** Errors that Fastify itself throws, with our codes. A code that is not listed is a bug. */
const FROM_FASTIFY: ReadonlyMap<string, readonly [HttpErrorCode, string]> = new Map([
  [
    'FST_ERR_CTP_BODY_TOO_LARGE',
    ['BODY_TOO_LARGE', 'The body is larger than this server accepts. Send less in one request.'],
  ],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON, with Content-Type: application/json.'],
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    ['MALFORMED_REQUEST', 'The length of the body differs from Content-Length. Send the actual length.'],
  ],
  ['FST_ERR_BAD_URL', ['MALFORMED_REQUEST', 'The path is not percent-encoded UTF-8. Encode it according to RFC 3986.']],
  ['FST_ERR_MAX_PARAM_LENGTH', ['URI_TOO_LONG', 'A name in the path is too long.']],
]);

/** Translates any thrown value into an error with a code. An unexpected one becomes the cause of `INTERNAL_ERROR`. */
export function translateError(error: unknown): FleetError {
  if (isFleetError(error)) return error;
  const translation = FROM_FASTIFY.get(codeOf(error));
  if (translation) return new HttpError(...translation, { cause: error });
  if (codeOf(error) === 'ECONNRESET') return new HttpError('CLIENT_GONE', 'the connection was reset', { cause: error });
  return new HttpError('INTERNAL_ERROR', 'handle the request', { cause: error });
}

function isFleetError(error: unknown): error is FleetError {
  return error instanceof FleetError;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
