import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Storage } from '#kit/storage';
import { dumpDatabase, formatRecord } from '#kit/storage/transfer';

/** Secrets that must not be stored in the clear, by a name that a failure may print. */
export type NamedSecrets = Readonly<Record<string, string>>;

export interface Leak {
  readonly secret: string;
  /** A file, or a table of a database. */
  readonly where: string;
  /** The encoding it was found in. */
  readonly form: string;
}

/** Shorter secrets would be found by chance. */
const SHORTEST = 8;

/**
 * Finds every place in these files and folders that contains one of the secrets, verbatim or in an encoding that may have
 * been applied by accident: base64 at any offset, hex, URL encoding, JSON. `skip` decides by path.
 */
export async function leaksInFiles(
  paths: readonly string[],
  secrets: NamedSecrets,
  skip: (path: string) => boolean = () => false,
): Promise<Leak[]> {
  const needles = needlesOf(secrets);
  const leaks: Leak[] = [];
  for (const path of paths) {
    for await (const file of filesIn(path)) {
      if (!skip(file)) leaks.push(...leaksIn(await readFile(file), file, needles));
    }
  }
  return leaks;
}

/** The same for all tables of a database, on either engine. */
export async function leaksInDatabase(storage: Storage, secrets: NamedSecrets, signal: AbortSignal): Promise<Leak[]> {
  const needles = needlesOf(secrets);
  const leaks: Leak[] = [];
  await storage.read(async (reader) => {
    let table = '';
    for await (const record of dumpDatabase(reader, storage.engine)) {
      if (record.kind === 'table') table = record.name;
      else if (record.kind === 'row') leaks.push(...leaksIn(Buffer.from(formatRecord(record)), table, needles));
    }
  }, signal);
  return leaks;
}

/** The same for output: logs, standard output. */
export function leaksInText(where: string, text: string, secrets: NamedSecrets): Leak[] {
  return leaksIn(Buffer.from(text), where, needlesOf(secrets));
}

interface Needle {
  readonly secret: string;
  readonly form: string;
  readonly bytes: Buffer;
}

function leaksIn(content: Buffer, where: string, needles: readonly Needle[]): Leak[] {
  return needles.filter(({ bytes }) => content.includes(bytes)).map(({ secret, form }) => ({ secret, where, form }));
}

/** Cached, because a suite searches for the same secrets in thousands of answers. */
const known = new WeakMap<NamedSecrets, readonly Needle[]>();

function needlesOf(secrets: NamedSecrets): readonly Needle[] {
  const needles = known.get(secrets) ?? makeNeedles(secrets);
  known.set(secrets, needles);
  return needles;
}

function makeNeedles(secrets: NamedSecrets): Needle[] {
  return Object.entries(secrets).flatMap(([secret, value]) => {
    if (value.length < SHORTEST) throw new RangeError(`the secret ${secret} is too short to look for`);
    const bytes = Buffer.from(value);
    const forms = new Map<string, string>([
      ['as it is', value],
      ['in hex', bytes.toString('hex')],
      ['in a URL', encodeURIComponent(value)],
      ['in JSON', JSON.stringify(value).slice(1, -1)],
      ['in UTF-16', ''],
    ]);
    // Preceding bytes shift the start of the secret within a group of three; the characters that depend on neighbouring
    // bytes are left out.
    for (const offset of [0, 1, 2]) {
      const padded = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString('base64')
        .replaceAll('=', '');
      const inner = padded.slice(Math.ceil((offset * 4) / 3), -2);
      forms.set(`in base64 at offset ${offset}`, inner);
      forms.set(`in base64url at offset ${offset}`, inner.replaceAll('+', '-').replaceAll('/', '_'));
    }
    return Array.from(forms, ([form, text]) => ({
      secret,
      form,
      bytes: form === 'in UTF-16' ? Buffer.from(value, 'utf16le') : Buffer.from(text),
    }));
  });
}

async function* filesIn(path: string): AsyncGenerator<string> {
  const found = await lstat(path);
  if (found.isFile()) yield path;
  if (!found.isDirectory()) return;
  for (const name of (await readdir(path)).sort((a, b) => (a < b ? -1 : 1))) yield* filesIn(join(path, name));
}
