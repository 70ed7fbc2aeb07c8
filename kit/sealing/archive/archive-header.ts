import { hash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Secret } from '#kit/std';
import { ArchiveError } from './archive-error.ts';

/**
 * The readable header, two lines: the format, and one JSON object. `about` is free-form information from the creator.
 * It cannot be changed unnoticed, because every chunk is bound to it.
 */
const HeaderSchema = Type.Object({
  about: Type.Unknown(),
  kdf: Type.Object({
    name: Type.Literal('scrypt'),
    // Bounded by what a machine can afford: the header is read before its origin is verified.
    n: Type.Integer({ minimum: 1024, maximum: 1 << 20 }),
    r: Type.Integer({ minimum: 1, maximum: 16 }),
    p: Type.Integer({ minimum: 1, maximum: 4 }),
    salt: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  }),
  /** Distinguishes a wrong passphrase from a damaged file. */
  check: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});

export type ArchiveHeader = Static<typeof HeaderSchema>;

export interface ArchiveOptions {
  /** Public information, as JSON; readable without the passphrase. */
  readonly about: unknown;
  readonly passphrase: Secret<string>;
  /** The scrypt cost of each guess at the passphrase; tests may lower it. */
  readonly cost?: number;
}

export interface ArchiveKey {
  readonly key: Uint8Array;
  /** Associated data of every chunk. */
  readonly binding: Uint8Array;
}

const MAGIC = 'fleetshift-archive 1\n';
const MAGIC_OF_ANY = /^fleetshift-archive \d+\n/;
const MAX_HEADER = 1 << 20;
/** 128 MiB and some tenths of a second per guess. */
const COST = 1 << 17;

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** The key is unique to this archive. */
export async function newHeader(options: ArchiveOptions): Promise<{ text: string } & ArchiveKey> {
  const { about, passphrase, cost = COST } = options;
  const kdf = { name: 'scrypt', n: cost, r: 8, p: 1, salt: randomBytes(16).toString('hex') } as const;
  const { key, check } = await derive(kdf, passphrase);
  const text = `${MAGIC}${JSON.stringify({ about, kdf, check })}\n`;
  return { text, key, binding: bindingOf(text) };
}

/** `undefined` while the bytes do not hold the whole header yet. */
export function parseHeader(bytes: Buffer): { header: ArchiveHeader; text: string } | undefined {
  const begin = bytes.subarray(0, MAGIC.length).toString('latin1');
  if (!MAGIC.startsWith(begin.slice(0, MAGIC.length))) {
    const isOurs = MAGIC_OF_ANY.test(bytes.subarray(0, 32).toString('latin1'));
    throw isOurs
      ? new ArchiveError('ARCHIVE_TOO_NEW', 'this file was made by a newer release; use that one to read it')
      : new ArchiveError('NOT_AN_ARCHIVE', 'this is not a backup');
  }
  const end = bytes.indexOf('\n', MAGIC.length);
  if (end < 0) {
    if (bytes.length > MAX_HEADER) throw damaged();
    return undefined;
  }
  const text = bytes.subarray(0, end + 1).toString('utf8');
  const header = parseJson(text.slice(MAGIC.length));
  if (!Value.Check(HeaderSchema, header)) throw damaged();
  return { header, text };
}

export async function openHeader(header: ArchiveHeader, text: string, passphrase: Secret<string>): Promise<ArchiveKey> {
  const { key, check } = await derive(header.kdf, passphrase);
  if (!timingSafeEqual(Buffer.from(check, 'hex'), Buffer.from(header.check, 'hex'))) {
    throw new ArchiveError('WRONG_PASSPHRASE', 'wrong passphrase: this file was made with another one');
  }
  return { key, binding: bindingOf(text) };
}

function damaged(): ArchiveError {
  return new ArchiveError('ARCHIVE_DAMAGED', 'the beginning of this file is damaged');
}

async function derive({ n, r, p, salt }: ArchiveHeader['kdf'], passphrase: Secret<string>) {
  const options = { N: n, r, p, maxmem: 256 * n * r };
  const bytes = await deriveKey(passphrase.reveal().normalize('NFC'), Buffer.from(salt, 'hex'), 64, options);
  return { key: bytes.subarray(0, 32), check: hash('sha256', bytes.subarray(32), 'hex') };
}

function bindingOf(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
