import type { Authenticator } from '#kit/http';
import { isThisMachine } from '../domain/issuer.ts';

/** Logged at every start with this authenticator. */
export const DEV_AUTH_WARNING =
  'insecure-dev-auth: every client that can reach this machine’s loopback is the administrator; never use this for anything that matters';

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

/**
 * Every caller is the administrator, except web pages from other sites in a browser on this machine: their requests
 * carry a foreign origin, or a host name other than loopback.
 */
export const devAuthenticator: Authenticator = {
  authenticate: async ({ address, headers }) => {
    const { host, origin } = headers;
    const isLocal = LOOPBACK.test(address) && isLoopbackUrl(`http://${host}`);
    if (!isLocal || (origin !== undefined && !isLoopbackUrl(origin))) return undefined;
    return { kind: 'admin', id: 'dev' };
  },
};

function isLoopbackUrl(text: string): boolean {
  return isThisMachine(URL.parse(text)?.hostname ?? '');
}
