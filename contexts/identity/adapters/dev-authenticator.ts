import type { Authenticator } from '#kit/http';
import { isThisMachine } from '../domain/issuer.ts';

/** For every start with it. */
export const DEV_AUTH_WARNING =
  'insecure-dev-auth: everybody who can reach this machine’s loopback is the administrator; never use this for anything that matters';

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

/**
 * Everybody is the administrator. A page of some web site in a browser on this machine is not: it comes from another
 * origin, or by another name for this machine.
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
