import { WebhookError } from './webhook-error.ts';

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw notJson(error);
  }
}

/**
 * For objects that are written out again whole.
 *
 * DECISION: a whole number beyond 2^53 is refused. To us it is another number than it was to the server, and an object
 * that is stored after a conversion would hold the wrong one for ever.
 */
export function parseBodyExactly(text: string): unknown {
  // Such a number has 16 digits in a row. Most bodies have not, and the slow way is for those that do.
  if (!/\d{16}/.test(text)) return parseBody(text);
  try {
    return JSON.parse(text, refuseInexact) as unknown;
  } catch (error) {
    throw error instanceof WebhookError ? error : notJson(error);
  }
}

function notJson(cause: unknown): WebhookError {
  return new WebhookError('MALFORMED_REVIEW', 'read a review: the body is not JSON', { cause });
}

function refuseInexact(key: string, value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  throw new WebhookError(
    'MALFORMED_REVIEW',
    `read a review: the number in "${key}" is beyond what can be kept exactly`,
  );
}
