import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { adminTokenId } from '#contexts/identity/adapters';
import { type Clock, Secret, systemClock, TOKEN_PREFIXES } from '#kit/std';
import { createFile, replaceFile } from '#runtime/process/durable-file';
import { InstanceError } from './instance-error.ts';

export interface AdminToken {
  /** The current token: a rotated one is read from its file within `LOOK_MS`. */
  readonly token: Secret<string>;
  readonly file: string;
  /** Whether this start created it. */
  readonly created: boolean;
}

/** An operator may supply a token; below 32 characters it could be guessed, above 256 it is not a token. */
const TOKEN = new RegExp(`^${TOKEN_PREFIXES.access}[A-Za-z0-9_-]{28,252}$`);

const LOOK_MS = 500;

/** The first credential. Created once; read access to the file makes an administrator. */
export function loadAdminToken(file: string, clock: Clock = systemClock): AdminToken {
  const existing = readToken(file);
  if (existing !== undefined) return live({ token: existing, file, created: false }, clock);
  const token = newToken();
  const created = attempt(file, 'cannot be written', () => createFile(file, `${token}\n`, 0o600));
  if (created) return live({ token: new Secret(token), file, created }, clock);
  // Another process created it between the check and the write; its token counts.
  const theirs = readToken(file);
  if (theirs === undefined) throw unusable(file, 'appears and disappears during the start');
  return live({ token: theirs, file, created }, clock);
}

/** Replaces the token, and returns the ids of both. */
export function rotateAdminToken(file: string): { readonly ended: string; readonly begun: string } {
  const old = readToken(file);
  if (old === undefined) throw unusable(file, 'does not exist');
  const token = newToken();
  attempt(file, 'cannot be written', () => replaceFile(file, `${token}\n`, 0o600));
  return { ended: adminTokenId(old.reveal()), begun: adminTokenId(token) };
}

function newToken(): string {
  return `${TOKEN_PREFIXES.access}${randomBytes(32).toString('base64url')}`;
}

/**
 * Reads the file again when it was replaced. If the file is missing or unusable, the previous token stays valid: to end
 * a token, replace it.
 */
function live(first: AdminToken, clock: Clock): AdminToken {
  const { file, created } = first;
  let { token } = first;
  // Not checked yet: the file may have been replaced since it was read.
  let seen: string | undefined;
  let lookAt = clock.now() + LOOK_MS;
  return {
    file,
    created,
    get token() {
      const now = clock.now();
      if (now < lookAt) return token;
      lookAt = now + LOOK_MS;
      const stamp = stampOf(file);
      if (stamp === undefined || stamp === seen) return token;
      try {
        token = readToken(file) ?? token;
        seen = stamp;
      } catch (error) {
        if (!(error instanceof InstanceError)) throw error;
      }
      return token;
    },
  };
}

function stampOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`;
}

function readToken(file: string): Secret<string> | undefined {
  const found = attempt(file, 'cannot be read', () => readPrivate(file));
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) throw unusable(file, `can be read by other users; run: chmod 600 ${file}`);
  const token = found.content.trim();
  if (token === '') throw unusable(file, 'is empty; delete it, and the next start creates a new one');
  if (!TOKEN.test(token)) {
    throw unusable(
      file,
      `does not hold a token: ${TOKEN_PREFIXES.access} and at least 28 letters, digits, dashes or underscores`,
    );
  }
  return new Secret(token);
}

/** Checks the permissions of the opened file, not of the path, which may be replaced meanwhile. */
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

function unusable(file: string, why: string, cause?: unknown): InstanceError {
  return new InstanceError('ADMIN_TOKEN_UNUSABLE', `the admin token file ${file} ${why}`, { cause });
}
