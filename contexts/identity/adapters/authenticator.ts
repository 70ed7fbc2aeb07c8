import { createHash } from 'node:crypto';
import type { Authenticator, Credentials, Principal } from '#kit/http';
import { type Secret, TOKEN_PREFIXES, timingSafeEqualText } from '#kit/std';
import { ADMIN } from '../application/login-service.ts';
import { checkSameOrigin, ownOrigin } from '../domain/own-origin.ts';
import { parseSessionToken } from '../domain/token-text.ts';
import type { KnownCallers } from './known-callers.ts';
import { VerifyInTurn } from './oidc/verify-in-turn.ts';
import { sessionCookie } from './session-cookie.ts';

export interface AuthenticatorDeps {
  readonly callers: KnownCallers;
  /** For automation: whoever shows it is the administrator. */
  readonly adminToken: (() => Secret<string>) | undefined;
  /** The addresses that browsers know this platform by. */
  readonly origins: () => readonly string[];
}

/** Who asks: by a bearer token if there is one, else by the cookie of a session. */
export function authenticatorOf(deps: AuthenticatorDeps): Authenticator {
  const turns = new VerifyInTurn();
  return {
    authenticate: async (credentials: Credentials, signal) => {
      const { bearer, address } = credentials;
      if (bearer === undefined) return await byCookie(deps, credentials, signal);
      return await byBearer({ ...deps, turns }, { token: bearer, address }, signal);
    },
  };
}

/** Names the static token of the administrator in the audit log; nothing of the token follows from it. */
export function adminTokenId(token: string): string {
  return `admin-${createHash('sha256').update('fleetshift admin token').update(token).digest('hex').slice(0, 12)}`;
}

async function byBearer(
  { callers, adminToken, turns }: AuthenticatorDeps & { readonly turns: VerifyInTurn },
  shown: { readonly token: string; readonly address: string },
  signal: AbortSignal,
): Promise<Principal | undefined> {
  const { token: bearer } = shown;
  // First, since an administrator may have chosen a token that reads like one of a service account.
  if (adminToken !== undefined && timingSafeEqualText(bearer, adminToken().reveal())) {
    return { ...ADMIN, shown: { token: adminTokenId(bearer) } };
  }
  if (bearer.startsWith(TOKEN_PREFIXES.access)) return await callers.byAccountToken(bearer, signal);
  const secret = parseSessionToken(bearer);
  if (secret !== undefined) return await callers.bySession(secret, 'cli', signal);
  return await turns.run(shown, () => callers.byIssuerToken(bearer, signal));
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
