import type { Authenticator, Credentials, Principal } from '#kit/http';
import { type Secret, TOKEN_PREFIXES, timingSafeEqualText } from '#kit/std';
import { ADMIN } from '../application/login-service.ts';
import { checkSameOrigin, ownOrigin } from '../domain/own-origin.ts';
import { parseSessionToken } from '../domain/token-text.ts';
import type { KnownCallers } from './known-callers.ts';
import { sessionCookie } from './session-cookie.ts';

export interface AuthenticatorDeps {
  readonly callers: KnownCallers;
  /** For automation: whoever shows it is the administrator. */
  readonly adminToken: Secret<string> | undefined;
  /** The addresses that browsers know this platform by. */
  readonly origins: () => readonly string[];
}

/** Who asks: by a bearer token if there is one, else by the cookie of a session. */
export function authenticatorOf(deps: AuthenticatorDeps): Authenticator {
  return {
    authenticate: async (credentials: Credentials, signal) => {
      const { bearer } = credentials;
      return bearer === undefined ? await byCookie(deps, credentials, signal) : await byBearer(deps, bearer, signal);
    },
  };
}

async function byBearer(
  { callers, adminToken }: AuthenticatorDeps,
  bearer: string,
  signal: AbortSignal,
): Promise<Principal | undefined> {
  // First, since an administrator may have chosen a token that reads like one of a service account.
  if (adminToken !== undefined && timingSafeEqualText(bearer, adminToken.reveal())) return ADMIN;
  if (bearer.startsWith(TOKEN_PREFIXES.access)) return await callers.byAccountToken(bearer, signal);
  const secret = parseSessionToken(bearer);
  if (secret !== undefined) return await callers.bySession(secret, 'cli', signal);
  return await callers.byIssuerToken(bearer, signal);
}

async function byCookie(
  { callers, origins }: AuthenticatorDeps,
  { headers, method }: Credentials,
  signal: AbortSignal,
): Promise<Principal | undefined> {
  const own = ownOrigin(origins(), headers);
  const secret = own && sessionCookie(headers.cookie, own);
  if (own === undefined || secret === undefined) return undefined;
  const principal = await callers.bySession(secret, 'browser', signal);
  if (principal !== undefined) checkSameOrigin(headers, method, own);
  return principal;
}
