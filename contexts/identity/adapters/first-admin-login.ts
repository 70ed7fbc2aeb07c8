import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Clock, secretSource } from '#kit/std';
import type { Storage } from '#kit/storage';
import { newLoginCode, normalLoginCode } from '../domain/login-code.ts';
import { CODE_MS, CODE_TEXT_FILE } from './admin-code-file.ts';
import { writePrivateFile } from './private-file.ts';
import { SqlLoginCodeStore } from './sql/sql-login-code-store.ts';

export interface FirstAdminLoginDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Standard output, if it is a terminal. Never a log. */
  readonly terminal: { write(text: string): void } | undefined;
  readonly dataFolder: string;
  /** The page that takes the code, for the message. */
  readonly loginUrl: string | undefined;
}

export type OfferedLogin =
  | { readonly kind: 'none' }
  | { readonly kind: 'printed' }
  /** There is no terminal; the operator should be pointed to the file. */
  | { readonly kind: 'file'; readonly file: string };

/**
 * The way into a new instance: a code that works once. Offered as long as no code was ever used and none is still
 * valid, so that a first start whose output was missed can be repeated. Only the hash is stored.
 */
export async function offerFirstAdminLogin(deps: FirstAdminLoginDeps, signal: AbortSignal): Promise<OfferedLogin> {
  const { storage, clock, terminal, dataFolder } = deps;
  const code = newLoginCode(randomBytes);
  const hash = secretSource.hash(normalLoginCode(code));
  const now = clock.now();
  const isFirst = await storage.write(async (tx) => {
    const codes = new SqlLoginCodeStore(tx);
    if (await codes.anyUsedOrLive(now, signal)) return false;
    await codes.put({ hash, createTime: now, expireTime: now + CODE_MS, usedTime: undefined }, signal);
    return true;
  }, signal);
  if (!isFirst) return { kind: 'none' };
  if (terminal !== undefined) {
    terminal.write(adminLoginText(code, deps.loginUrl));
    return { kind: 'printed' };
  }
  const file = join(dataFolder, CODE_TEXT_FILE);
  writePrivateFile(file, `${code}\n`);
  return { kind: 'file', file };
}

/** The text for a terminal. */
export function adminLoginText(code: string, loginUrl: string | undefined): string {
  const place = loginUrl === undefined ? 'the login page of the platform' : loginUrl;
  return [
    '',
    'One-time login for the administrator, valid for one hour:',
    '',
    `  ${code}`,
    '',
    `In a browser, at ${place}`,
    `On a command line: fleetshift login --one-time ${code}`,
    '',
    '',
  ].join('\n');
}
