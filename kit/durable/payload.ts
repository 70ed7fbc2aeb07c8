import type { Payload } from './activity.ts';
import { DurableError } from './durable-error.ts';
import { LIMITS } from './limits.ts';

/**
 * The text that an engine stores for a value. A value that could not be read back is refused here, before anything is
 * recorded.
 */
export function encodePayload(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined;
  const text = stringify(value, what);
  // A character takes at most three bytes, so short texts, which nearly all are, need not be counted.
  if (text.length * 3 > LIMITS.payloadBytes && utf8Length(text) > LIMITS.payloadBytes) {
    throw new DurableError(
      'PAYLOAD_TOO_LARGE',
      `${what} takes more than ${LIMITS.payloadBytes} bytes; keep it elsewhere and pass its name`,
    );
  }
  return text;
}

export function decodePayload(text: string | null | undefined): Payload | undefined {
  return text === null || text === undefined ? undefined : (JSON.parse(text) as Payload);
}

export function checkedName(name: string, what: string): string {
  if (name !== '' && name.length <= LIMITS.nameLength && !/\p{Cc}/u.test(name)) return name;
  throw new DurableError('PAYLOAD_NOT_JSON', `${what} has 1 to ${LIMITS.nameLength} printable characters`);
}

/** Ids can be used in URLs, file names and tables without escaping. */
export function checkedId(id: string): string {
  if (/^(?=.*[A-Za-z0-9])[A-Za-z0-9._~-]+$/.test(id) && id.length <= LIMITS.nameLength) return id;
  throw new DurableError(
    'PAYLOAD_NOT_JSON',
    `a workflow id has 1 to ${LIMITS.nameLength} letters, digits, dots, dashes, underscores and tildes: "${id.slice(0, LIMITS.nameLength)}"`,
  );
}

/** Counted by hand: this also runs in workflow sandboxes, where there is no Buffer. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function stringify(value: unknown, what: string): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (error) {
    throw new DurableError('PAYLOAD_NOT_JSON', `${what} is not JSON`, { cause: error });
  }
  throw new DurableError('PAYLOAD_NOT_JSON', `${what} is not JSON: a ${typeof value}`);
}
