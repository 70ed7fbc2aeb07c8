import { type SecretSource, timingSafeEqualText, type Uuid } from '#kit/std';
import { IdentityError } from '../domain/identity-error.ts';
import { normalLoginCode } from '../domain/login-code.ts';
import type { Session, SessionKind, SessionLimits } from '../domain/session.ts';
import { formatSessionToken } from '../domain/token-text.ts';
import type { LoginCode, UnitOfWork } from './ports.ts';

/** A code left in a file by a user with access to this machine, in addition to those in the database. */
export interface CodeFile {
  read(): { readonly hash: string; readonly expireTime: number } | undefined;
}

export interface LoginServiceDeps {
  readonly newUid: () => Uuid;
  readonly secrets: SecretSource;
  readonly limits: SessionLimits;
  readonly codeFile: CodeFile;
}

export interface OpenSession {
  readonly kind: SessionKind;
  readonly principal: Session['principal'];
  readonly groups: readonly string[];
  readonly issuer: string | undefined;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly now: number;
}

/** The stored session, and the secret text that its holder presents from now on. */
export interface OpenedSession {
  readonly session: Session;
  readonly text: string;
}

export interface Redeem extends Pick<OpenSession, 'kind' | 'address' | 'userAgent' | 'now'> {
  readonly code: string;
}

export const ADMIN: Session['principal'] = { kind: 'admin', id: 'admin' };
const MAX_AGENT_LENGTH = 256;

/** Older tokens of issuers are rejected, whatever their expiry. So a revocation need not be stored longer than this. */
export const MAX_TOKEN_AGE_MS = 7 * 86_400_000;

/** Opens and ends sessions. */
export class LoginService {
  readonly #deps: LoginServiceDeps;

  constructor(deps: LoginServiceDeps) {
    this.#deps = deps;
  }

  async open(unit: UnitOfWork, { now, ...wanted }: OpenSession, signal: AbortSignal): Promise<OpenedSession> {
    const { newUid, secrets, limits } = this.#deps;
    const secret = secrets.newSecret();
    const lifetime = wanted.kind === 'cli' ? limits.cliMs : limits.absoluteMs;
    const session: Session = {
      ...wanted,
      userAgent: wanted.userAgent?.slice(0, MAX_AGENT_LENGTH),
      hash: secrets.hash(secret),
      uid: newUid(),
      createTime: now,
      lastUsedTime: now,
      expireTime: now + lifetime,
    };
    await unit.sessions.insert(session, signal);
    return { session, text: wanted.kind === 'cli' ? formatSessionToken(secret) : secret };
  }

  /** Opens an administrator session for a code that has not been used before. */
  async redeem(unit: UnitOfWork, { code, now, ...rest }: Redeem, signal: AbortSignal): Promise<OpenedSession> {
    const hash = this.#deps.secrets.hash(normalLoginCode(code));
    const found = (await unit.codes.find(hash, signal)) ?? this.#leftInFile(hash, now);
    if (found === undefined || found.usedTime !== undefined || now >= found.expireTime) throw codeRefused();
    await unit.codes.put({ ...found, usedTime: now }, signal);
    return await this.open(unit, { ...rest, principal: ADMIN, groups: [], issuer: undefined, now }, signal);
  }

  /**
   * Ends the user's sessions, and revokes all tokens that issuers have issued to the user so far. Returns the number of
   * sessions.
   */
  async revokeUser(
    unit: UnitOfWork,
    { user, now }: { user: string; now: number },
    signal: AbortSignal,
  ): Promise<number> {
    const key = userKey(user);
    await unit.revocations.put({ key, notAfter: now, expireTime: now + MAX_TOKEN_AGE_MS }, signal);
    return await unit.sessions.remove({ principal: { kind: 'user', id: user } }, signal);
  }

  #leftInFile(hash: string, now: number): LoginCode | undefined {
    const left = this.#deps.codeFile.read();
    if (left === undefined || !timingSafeEqualText(left.hash, hash)) return undefined;
    return { hash, createTime: now, expireTime: left.expireTime, usedTime: undefined };
  }
}

export function userKey(id: string): string {
  return `user:${id}`;
}

export function tokenKey(hash: string): string {
  return `token:${hash}`;
}

function codeRefused(): IdentityError {
  return new IdentityError(
    'LOGIN_CODE_REFUSED',
    "This one-time code is unknown, was used before, or has expired. Make a new one on the platform's machine with: fleetshift admin-login",
  );
}
