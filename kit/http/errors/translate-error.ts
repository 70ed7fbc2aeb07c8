import { FleetError } from '#kit/std';
import { HttpError, type HttpErrorCode } from './http-error.ts';

/** What Fastify throws on its own, in our words. A code that is not here is a mistake of ours. */
const FROM_FASTIFY: ReadonlyMap<string, readonly [HttpErrorCode, string]> = new Map([
  [
    'FST_ERR_CTP_BODY_TOO_LARGE',
    ['BODY_TOO_LARGE', 'The body is larger than this server takes. Send less in one request.'],
  ],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON, with Content-Type: application/json.'],
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    ['MALFORMED_REQUEST', 'The body is not as long as Content-Length says. Send the length that the body has.'],
  ],
  ['FST_ERR_BAD_URL', ['MALFORMED_REQUEST', 'The path is not percent-encoded UTF-8. Encode it as RFC 3986 says.']],
  ['FST_ERR_MAX_PARAM_LENGTH', ['URI_TOO_LONG', 'A name in the path is longer than any name can be.']],
]);

/** Whatever was thrown, as an error with a code. What nobody foresaw is `INTERNAL_ERROR`, with itself as the cause. */
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
