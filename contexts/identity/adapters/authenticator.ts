import { createHash } from 'node:crypto';
import type { Authenticator, Credentials, Principal } from '#kit/http';
import { type Secret, TOKEN_PREFIXES, timingSafeEqualText } from '#kit/std';
import { ADMIN } from '../application/login-service.ts';
import type { CredentialKind } from '../domain/credential-kind.ts';
import { checkSameOrigin, ownOrigin } from '../domain/own-origin.ts';
import { parseSessionToken } from '../domain/token-text.ts';
import type { KnownCallers } from './known-callers.ts';
import { VerifyInTurn } from './oidc/verify-in-turn.ts';
import { sessionCookie } from './session-cookie.ts';

export interface AuthenticatorDeps {
  readonly callers: KnownCallers;
  /** For automation: a request with this token is the administrator's. */
  readonly adminToken: (() => Secret<string>) | undefined;
  /** The origins by which browsers reach this platform. */
  readonly origins: () => readonly string[];
}

/** Authenticates by the bearer token if there is one, otherwise by the session cookie. */
export function authenticatorOf(deps: AuthenticatorDeps): Authenticator {
  const turns = new VerifyInTurn();
  return {
    authenticate: async (credentials: Credentials, signal) =>
      await LOOKUPS[kindOf(deps, credentials)]({ ...deps, turns }, credentials, signal),
  };
}

/** Identifies the administrator's static token in the audit log, and reveals nothing of the token. */
export function adminTokenId(token: string): string {
  return `admin-${createHash('sha256').update('fleetshift admin token').update(token).digest('hex').slice(0, 12)}`;
}

type Lookup = (
  deps: AuthenticatorDeps & { readonly turns: VerifyInTurn },
  credentials: Credentials,
  signal: AbortSignal,
) => Promise<Principal | undefined> | Principal;

const LOOKUPS: Readonly<Record<CredentialKind, Lookup>> = {
  adminToken: (_deps, { bearer = '' }) => ({ ...ADMIN, shown: { token: adminTokenId(bearer) } }),
  accountToken: ({ callers }, { bearer = '' }, signal) => callers.byAccountToken(bearer, signal),
  cliSession: ({ callers }, { bearer = '' }, signal) =>
    callers.bySession(parseSessionToken(bearer) ?? '', 'cli', signal),
  issuerToken: ({ callers, turns }, { bearer = '', address }, signal) =>
    turns.run({ token: bearer, address }, () => callers.byIssuerToken(bearer, signal), signal),
  browserSession: byCookie,
};

function kindOf({ adminToken }: AuthenticatorDeps, { bearer }: Credentials): CredentialKind {
  if (bearer === undefined) return 'browserSession';
  // Checked first, since an administrator may have chosen a token that looks like one of a service account.
  if (adminToken !== undefined && timingSafeEqualText(bearer, adminToken().reveal())) return 'adminToken';
  if (bearer.startsWith(TOKEN_PREFIXES.access)) return 'accountToken';
  return parseSessionToken(bearer) === undefined ? 'issuerToken' : 'cliSession';
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
