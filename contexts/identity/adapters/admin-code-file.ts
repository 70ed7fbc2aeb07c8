import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { secretSource } from '#kit/std';
import type { CodeFile } from '../application/login-service.ts';
import { newLoginCode, normalLoginCode } from '../domain/login-code.ts';
import { readPrivateFile, removeFile, writePrivateFile } from './private-file.ts';

const NAME = 'admin-login.json';
/** Holds the code itself, after a first start without a terminal to print it to. */
export const CODE_TEXT_FILE = 'admin-login-code';
export const CODE_MS = 60 * 60_000;

/**
 * DECISION: write access to the data folder is enough to become the administrator, as it already allows changing the
 * database. So `fleetshift admin-login` writes the hash of a code there, and the platform reads it when a code is
 * redeemed. The command needs neither the database, which the running process owns, nor an API into that process.
 */
export function adminCodeFile(folder: string): CodeFile {
  const file = join(folder, NAME);
  return {
    read: () => {
      const text = readPrivateFile(file);
      return text === undefined ? undefined : parse(text);
    },
  };
}

export interface LeftCode {
  readonly code: string;
  readonly expireTime: number;
}

/** Replaces the previous code, if any. */
export function leaveAdminCode(folder: string, now: number): LeftCode {
  const code = newLoginCode(randomBytes);
  const expireTime = now + CODE_MS;
  const left = { hash: secretSource.hash(normalLoginCode(code)), expireTime };
  writePrivateFile(join(folder, NAME), `${JSON.stringify(left)}\n`);
  return { code, expireTime };
}

/** Called once a code was used, so that no other code stays usable. */
export function removeAdminCodes(folder: string): void {
  for (const name of [NAME, CODE_TEXT_FILE]) removeFile(join(folder, name));
}

function parse(text: string): ReturnType<CodeFile['read']> {
  try {
    const raw: unknown = JSON.parse(text);
    if (typeof raw !== 'object' || raw === null || !('hash' in raw && 'expireTime' in raw)) return undefined;
    const { hash, expireTime } = raw;
    return typeof hash === 'string' && typeof expireTime === 'number' ? { hash, expireTime } : undefined;
  } catch {
    // Another program's file, or edited by hand: it holds no code.
    return undefined;
  }
}
