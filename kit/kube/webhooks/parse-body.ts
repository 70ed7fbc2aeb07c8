import { WebhookError } from './webhook-error.ts';

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw notJson(error);
  }
}

/**
 * For objects that are written back as a whole.
 *
 * DECISION: an integer beyond 2^53 is refused. JavaScript would change its value, and an object that is stored after a
 * conversion would keep the wrong one permanently.
 */
export function parseBodyExactly(text: string): unknown {
  // Such a number has 16 consecutive digits. Most bodies do not, and only the others need the slow path.
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
  throw new WebhookError('MALFORMED_REVIEW', `read a review: the number in "${key}" cannot be represented exactly`);
}
