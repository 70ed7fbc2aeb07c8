import type { Principal } from '#kit/http';
import { type Clock, ReadCache, type SecretSource, timingSafeEqualText } from '#kit/std';
import { LastUsed } from '../application/last-used.ts';
import { tokenKey, userKey } from '../application/login-service.ts';
import { type AccountToken, isLive } from '../domain/account-token.ts';
import type { TokenAudience } from '../domain/passthrough.ts';
import { principalIdOf, type ServiceAccount } from '../domain/service-account.ts';
import { isSessionLive, type Session, type SessionKind, type SessionLimits } from '../domain/session.ts';
import { parseToken, signedPartOf } from '../domain/token-text.ts';
import type { JwtVerifier } from './oidc/jwt-verifier.ts';
import type { SqlIdentityReader } from './sql/sql-identity-reader.ts';

export interface KnownCallersDeps {
  readonly reader: SqlIdentityReader;
  readonly jwt: JwtVerifier;
  readonly secrets: SecretSource;
  readonly clock: Clock;
  readonly limits: SessionLimits;
}

const REMEMBERED = 10_000;
/** How long another process may still accept a revoked credential if the announcement is lost. */
const MAX_AGE_MS = 30_000;

/**
 * Resolves a credential to its principal. Caches what was read; the cache is emptied as soon as any process revokes
 * anything. Expiry is checked at every request.
 */
export class KnownCallers {
  readonly tokensUsed = new LastUsed();
  readonly sessionsUsed = new LastUsed();
  readonly #deps: KnownCallersDeps;
  readonly #tokens: ReadCache<{ token: AccountToken; account: ServiceAccount }>;
  readonly #sessions: ReadCache<Session>;
  readonly #revocations: ReadCache<ReadonlyMap<string, number>>;

  constructor(deps: KnownCallersDeps) {
    this.#deps = deps;
    const options = { clock: deps.clock, entries: REMEMBERED, maxAgeMs: MAX_AGE_MS };
    this.#tokens = new ReadCache(options);
    this.#sessions = new ReadCache(options);
    this.#revocations = new ReadCache({ ...options, entries: 1 });
  }

  async byAccountToken(text: string, signal: AbortSignal): Promise<Principal | undefined> {
    const { reader, secrets, clock } = this.#deps;
    const parts = parseToken(text);
    if (parts === undefined) return undefined;
    const found = await this.#tokens.get(parts.id, () => reader.tokenById(parts.id, signal));
    if (found === undefined || !timingSafeEqualText(secrets.hash(parts.secret), found.token.hash)) return undefined;
    const { token, account } = found;
    const now = clock.now();
    if (account.disabled || !isLive(token, now)) return undefined;
    this.tokensUsed.touch(token.id, token.lastUsedTime, now);
    const { within, roles } = token.scope;
    const isScoped = within !== undefined || roles !== undefined;
    return {
      kind: 'serviceAccount',
      id: principalIdOf(account),
      ...(isScoped ? { scope: token.scope } : {}),
      until: token.expireTime,
      shown: { token: token.id },
    };
  }

  /** The hash covers 256 random bits, so a matching hash proves possession of the secret. */
  async bySession(secret: string, kind: SessionKind, signal: AbortSignal): Promise<Principal | undefined> {
    const { reader, secrets, clock, limits } = this.#deps;
    const hash = secrets.hash(secret);
    const session = await this.#sessions.get(hash, () => reader.sessionByHash(hash, signal));
    if (session === undefined || session.kind !== kind) return undefined;
    const now = clock.now();
    const lastUsed = this.sessionsUsed.latest(session.uid);
    if (!isSessionLive(session, limits, { now, lastUsed })) return undefined;
    this.sessionsUsed.touch(session.uid, session.lastUsedTime, now);
    const { principal, groups, expireTime: until } = session;
    return { ...principal, ...(groups.length === 0 ? {} : { groups }), until, shown: { session: session.uid } };
  }

  /** For one of the platform's own audiences, or for the audience given as `meant`. */
  async byIssuerToken(token: string, signal: AbortSignal, meant?: TokenAudience): Promise<Principal | undefined> {
    const { reader, jwt, secrets, clock } = this.#deps;
    const signed = signedPartOf(token);
    if (signed === undefined) return undefined;
    const user = await (meant === undefined ? jwt.verify(token, signal) : jwt.verifyFor(meant, token, signal));
    if (user === undefined) return undefined;
    const revoked = await this.#revocations.get('all', () => reader.revocations(clock.now(), signal));
    const hash = secrets.hash(signed);
    if (revoked?.has(tokenKey(hash))) return undefined;
    const notAfter = revoked?.get(userKey(user.id));
    // Tokens carry whole seconds. One issued in the same second counts as issued before the revocation.
    if (notAfter !== undefined && user.issuedAt * 1000 <= notAfter) return undefined;
    const groups = user.groups.length === 0 ? {} : { groups: user.groups };
    // Issuers need not number their tokens; a prefix of the hash identifies them as well.
    const { id, expiresAt: until } = user;
    return { kind: 'user', id, ...groups, until, shown: { token: user.tokenId ?? hash.slice(0, 16) } };
  }

  /** To be called when anything was revoked, or may have been. */
  clear(): void {
    this.#tokens.clear();
    this.#sessions.clear();
    this.#revocations.clear();
  }
}
