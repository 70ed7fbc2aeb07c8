import { randomBytes } from 'node:crypto';
import type { Brand } from './brand.ts';
import { type Clock, systemClock } from './clock.ts';
import { excerpt } from './excerpt.ts';
import { StdError } from './std-error.ts';

/** Any RFC 9562 UUID in its canonical spelling, in lower case. */
export type Uuid = Brand<string, 'Uuid'>;

export type RandomBytes = (size: number) => Uint8Array;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const COUNTER_LIMIT = 2 ** 32;

/**
 * Creates version 7 UUIDs, each greater than the previous one, as text and as bytes. This holds within a millisecond
 * and when the clock steps back: the generator then stays at the latest millisecond it has seen and continues to count.
 *
 * DECISION: the 12 bits of `rand_a` and the first 20 of `rand_b` are a counter with a random start in every millisecond
 * (RFC 9562, 6.2, method 1). The last 42 bits are random in every UUID, so that an id cannot be guessed from its
 * neighbour. When the counter overflows, the generator moves on to the next millisecond.
 */
export function createUuidv7(clock: Clock, random: RandomBytes = (size) => randomBytes(size)): () => Uuid {
  let millisecond = -1;
  let counter = 0;
  return () => {
    const bytes = Buffer.alloc(16);
    bytes.set(random(10), 6);
    const now = Math.floor(clock.now());
    if (now > millisecond) {
      millisecond = now;
      counter = bytes.readUInt32BE(6);
    } else if (++counter === COUNTER_LIMIT) {
      millisecond += 1;
      counter = 0;
    }
    bytes.writeUIntBE(millisecond, 0, 6);
    bytes.writeUInt16BE(0x7000 | (counter >>> 20), 6);
    bytes.writeUInt16BE(0x8000 | ((counter >>> 6) & 0x3fff), 8);
    bytes.writeUInt8(((counter & 0x3f) << 2) | (bytes.readUInt8(10) & 0x03), 10);
    return format(bytes);
  };
}

/** Uses the system clock; increasing within this process. */
export const uuidv7: () => Uuid = createUuidv7(systemClock);

/** Accepts either case, as RFC 9562 requires; returns lower case, so that equal ids are equal strings. */
export function parseUuid(raw: string): Uuid {
  const text = raw.toLowerCase();
  if (!isUuid(text)) throw new StdError('INVALID_UUID', `read ${excerpt(raw)} as a UUID`);
  return text;
}

function isUuid(text: string): text is Uuid {
  return UUID.test(text);
}

function format(bytes: Buffer): Uuid {
  const hex = bytes.toString('hex');
  return parseUuid(`${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`);
}

/** The creation time of a version 7 UUID, in milliseconds since the epoch: its first 48 bits. */
export function uuidv7Time(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}
