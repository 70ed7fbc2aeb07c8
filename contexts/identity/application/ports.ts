import type { EventSink, ResourceName, Secret, Uuid } from '#kit/std';
import type { AccountToken, TokenScope } from '../domain/account-token.ts';
import type { IdentityEventType } from '../domain/identity-event.ts';
import type { Issuer } from '../domain/issuer.ts';
import type { MakerScope } from '../domain/narrow-scope.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import type { Session } from '../domain/session.ts';

/** Atomic, and serializable: everything read in it still holds when it commits. */
export interface UnitOfWork {
  readonly issuers: IssuerStore;
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly codes: LoginCodeStore;
  readonly revocations: RevocationStore;
  readonly events: EventSink<IdentityEvent>;
  /** Lets other contexts delete their data about a service account. Called for a dry run as well. */
  readonly accountDeleted: AccountDeleted;
  readonly tokenRights: TokenRights;
}

/** The rights of callers, which another context knows. */
export interface TokenRights {
  /** The rights that the maker lacks, of those that a token of this account and scope would have now. */
  lackedBy(
    maker: TokenMaker,
    token: { readonly account: AccountKey; readonly scope: TokenScope },
    signal: AbortSignal,
  ): Promise<LackedRights>;
}

/** The caller that makes a token. */
export interface TokenMaker {
  readonly kind: string;
  readonly id: string;
  readonly groups?: readonly string[];
  readonly scope?: MakerScope;
}

/** Nothing is lacking if it has no rights and is not hidden. */
export interface LackedRights {
  /** As a person reads them: `admin on workspaces/shop`. */
  readonly rights: readonly string[];
  /** Whether there are more, on resources that the maker may not see. */
  readonly hidden: boolean;
}

/** Returns a function to be called after the commit, before the caller gets the response. */
export type AccountDeleted = (
  account: { readonly workspace: ResourceName; readonly name: ResourceName; readonly now: number },
  signal: AbortSignal,
) => Promise<Committed>;

export type Committed = () => void;

export interface IssuerStore {
  /** All issuers, by name: there are few. Excludes those set by configuration. */
  list(signal: AbortSignal): Promise<readonly Issuer[]>;
  insert(issuer: Issuer, signal: AbortSignal): Promise<void>;
  /** Throws `VERSION_STALE` unless the stored version is the one before this. */
  replace(next: Issuer, signal: AbortSignal): Promise<void>;
  /** Throws `VERSION_STALE` unless the stored version is this one. */
  remove(issuer: Issuer, signal: AbortSignal): Promise<void>;
}

export interface AccountStore {
  find(key: AccountKey, signal: AbortSignal): Promise<ServiceAccount | undefined>;
  insert(account: ServiceAccount, signal: AbortSignal): Promise<void>;
  /** Throws `VERSION_STALE` unless the stored version is the one before this. */
  replace(next: ServiceAccount, signal: AbortSignal): Promise<void>;
  /** Removes its tokens too. Throws `VERSION_STALE` unless the stored version is this one. */
  remove(account: ServiceAccount, signal: AbortSignal): Promise<void>;
}

export interface AccountKey {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
}

export interface TokenStore {
  /** `undefined` also when the token belongs to another account. */
  find(account: Uuid, id: string, signal: AbortSignal): Promise<AccountToken | undefined>;
  countLive(account: Uuid, now: number, signal: AbortSignal): Promise<number>;
  insert(token: AccountToken, signal: AbortSignal): Promise<void>;
  /** Stores its end and its successor; nothing else of a token ever changes. */
  end(token: AccountToken, signal: AbortSignal): Promise<void>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}

export interface SessionStore {
  insert(session: Session, signal: AbortSignal): Promise<void>;
  /** Removes the sessions that match all given conditions, and returns their number. */
  remove(which: WhichSessions, signal: AbortSignal): Promise<number>;
}

export interface WhichSessions {
  /** Of any kind: for a principal without sessions nothing is removed. */
  readonly principal?: { readonly kind: string; readonly id: string };
  readonly uid?: Uuid;
  readonly hash?: string;
  readonly issuer?: string;
}

export interface LoginCode {
  readonly hash: string;
  readonly createTime: number;
  readonly expireTime: number;
  readonly usedTime: number | undefined;
}

export interface LoginCodeStore {
  find(hash: string, signal: AbortSignal): Promise<LoginCode | undefined>;
  /** Whether any code was ever used, or is still valid. */
  anyUsedOrLive(now: number, signal: AbortSignal): Promise<boolean>;
  /** Replaces one with the same hash. */
  put(code: LoginCode, signal: AbortSignal): Promise<void>;
}

/** A credential that is rejected although it has not expired. */
export interface Revocation {
  /**
   * `user:<id>`: everything issued to the user up to `notAfter`. `token:<hash>`: one token, by the hash of its signed
   * part.
   */
  readonly key: string;
  readonly notAfter: number;
  /** From then on, everything it covers has expired anyway. */
  readonly expireTime: number;
}

export interface RevocationStore {
  put(revocation: Revocation, signal: AbortSignal): Promise<void>;
}

export interface IdentityEvent {
  readonly type: IdentityEventType;
  readonly subject:
    | { readonly kind: 'issuer'; readonly issuer: Issuer }
    | { readonly kind: 'account'; readonly account: ServiceAccount }
    | { readonly kind: 'token'; readonly account: ServiceAccount; readonly token: AccountToken };
}

/** Encrypts a secret so that only this platform can open it, and only in the same place. */
export interface Sealer {
  seal(secret: Secret<string>, place: SealedPlace, signal: AbortSignal): Promise<string>;
  open(sealed: string, place: SealedPlace, signal: AbortSignal): Promise<Secret<string>>;
}

/** Where the secret is stored. A copy in another place cannot be opened. */
export interface SealedPlace {
  readonly table: string;
  readonly row: readonly string[];
  readonly column: string;
}

/** Checks the expressions of a claim mapping before they are stored. */
export interface ClaimLanguage {
  /** The fault of the expression; `undefined` when it is valid. */
  faultOf(expression: string, gives: 'text' | 'list'): string | undefined;
}
