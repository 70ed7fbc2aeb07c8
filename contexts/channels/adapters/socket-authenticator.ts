import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import type { LocalAuthenticator, LocalIdentity } from '../application/broker/local-authenticator.ts';

/**
 * Accepts every process that can open the socket: the kernel checks the file permissions. This only checks that the permissions
 * are still right, since the file may have been changed.
 */
export function createSocketAuthenticator(path: string): LocalAuthenticator {
  const identity = `unix:${basename(path)}`;
  return { identify: async () => socketFault(path) ?? { kind: 'known', identity } };
}

function socketFault(path: string): LocalIdentity | undefined {
  const { uid, mode } = lstatSync(path);
  if (process.getuid !== undefined && uid !== process.getuid()) {
    return { kind: 'unknown', message: `the socket ${path} belongs to another user` };
  }
  if ((mode & 0o007) === 0) return undefined;
  return { kind: 'unknown', message: `the socket ${path} is open to all users of this machine; run chmod o-rwx on it` };
}
