import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import type { LocalAuthenticator, LocalIdentity } from '../application/broker/local-authenticator.ts';

/**
 * Whoever can open the socket is let in: the kernel has asked for us. What is asked here is that it asks the right
 * question, since somebody may have changed the file.
 */
export function createSocketAuthenticator(path: string): LocalAuthenticator {
  const identity = `unix:${basename(path)}`;
  return { identify: async () => socketFault(path) ?? { kind: 'known', identity } };
}

function socketFault(path: string): LocalIdentity | undefined {
  const { uid, mode } = lstatSync(path);
  if (process.getuid !== undefined && uid !== process.getuid()) {
    return { kind: 'unknown', message: `the socket ${path} belongs to somebody else` };
  }
  if ((mode & 0o007) === 0) return undefined;
  return { kind: 'unknown', message: `every account of this machine may open the socket ${path}: chmod o-rwx it` };
}
