import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CodeFile } from '../application/login-service.ts';
import { newLoginCode, normalLoginCode } from '../domain/login-code.ts';
import { readPrivateFile, removeFile, writePrivateFile } from './private-file.ts';
import { secretSource } from './secret-source.ts';

const NAME = 'admin-login.json';
/** The code itself, from a first start without a terminal to print it to. */
export const CODE_TEXT_FILE = 'admin-login-code';
export const CODE_MS = 60 * 60_000;

/**
 * DECISION: whoever may write into the data folder may become the administrator, as he could change the database anyway. So
 * `fleetshift admin-login` leaves the hash of a code there, and the platform looks when somebody shows one. It needs
 * neither the database, which belongs to the running process, nor a way into it.
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

/** Over the one before, if there is one. */
export function leaveAdminCode(folder: string, now: number): LeftCode {
  const code = newLoginCode(randomBytes);
  const expireTime = now + CODE_MS;
  const left = { hash: secretSource.hash(normalLoginCode(code)), expireTime };
  writePrivateFile(join(folder, NAME), `${JSON.stringify(left)}\n`);
  return { code, expireTime };
}

/** Once one was used, none is left lying about. */
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
    // Not ours, or half written by hand: there is no code in it.
    return undefined;
  }
}
