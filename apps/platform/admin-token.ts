import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { Secret, TOKEN_PREFIXES } from '#kit/std';
import { createFile } from './durable-file.ts';
import { PlatformError } from './platform-error.ts';

export interface AdminToken {
  readonly token: Secret<string>;
  readonly file: string;
  /** This start made it. */
  readonly created: boolean;
}

/** A person may put a token of their own there; below 32 characters it could be guessed, above 256 it is no token. */
const TOKEN = new RegExp(`^${TOKEN_PREFIXES.access}[A-Za-z0-9_-]{28,252}$`);

/** The first credential. Made once; whoever can read the file is the administrator. */
export function loadAdminToken(file: string): AdminToken {
  const existing = readToken(file);
  if (existing !== undefined) return { token: existing, file, created: false };
  const token = `${TOKEN_PREFIXES.access}${randomBytes(32).toString('base64url')}`;
  const created = attempt(file, 'cannot be written', () => createFile(file, `${token}\n`, 0o600));
  if (created) return { token: new Secret(token), file, created };
  // Somebody made it between the look and the write, and theirs counts.
  const theirs = readToken(file);
  if (theirs === undefined) throw unusable(file, 'comes and goes while we start');
  return { token: theirs, file, created };
}

function readToken(file: string): Secret<string> | undefined {
  const found = attempt(file, 'cannot be read', () => readPrivate(file));
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) throw unusable(file, `can be read by other users; run: chmod 600 ${file}`);
  const token = found.content.trim();
  if (token === '') throw unusable(file, 'is empty; delete it, and the next start makes a new one');
  if (!TOKEN.test(token)) {
    throw unusable(
      file,
      `does not hold a token: ${TOKEN_PREFIXES.access} and at least 28 letters, digits, dashes or underscores`,
    );
  }
  return new Secret(token);
}

/** Looks at the permissions of what it reads, not of what stands at that path a moment later. */
function readPrivate(file: string): { mode: number; content: string } | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return { mode: fstatSync(descriptor).mode, content: readFileSync(descriptor, 'utf8') };
  } finally {
    closeSync(descriptor);
  }
}

function attempt<T>(file: string, otherwise: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw unusable(file, `${otherwise} (${cause instanceof Error ? cause.message : String(cause)})`, cause);
  }
}

function unusable(file: string, why: string, cause?: unknown): PlatformError {
  return new PlatformError('ADMIN_TOKEN_UNUSABLE', `the admin token file ${file} ${why}`, { cause });
}
