import type { ResourceName, Secret, Uuid } from '#kit/std';
import type { AccountToken } from '../domain/account-token.ts';
import type { IdentityEventType } from '../domain/identity-event.ts';
import type { Issuer } from '../domain/issuer.ts';
import type { ServiceAccount } from '../domain/service-account.ts';
import type { Session } from '../domain/session.ts';

/** Everything in it happens together or not at all, and what was read in it still holds when it ends. */
export interface UnitOfWork {
  readonly issuers: IssuerStore;
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly codes: LoginCodeStore;
  readonly revocations: RevocationStore;
  readonly events: EventSink;
  /** For whoever keeps something about a service account that goes with it. A dry run asks as well. */
  readonly accountDeleted: AccountDeleted;
}

/** Gives what is to be done once it is committed, before anybody is told. */
export type AccountDeleted = (
  account: { readonly workspace: ResourceName; readonly name: ResourceName; readonly now: number },
  signal: AbortSignal,
) => Promise<Committed>;

export type Committed = () => void;

export interface IssuerStore {
  /** All of them, by name: there are few. Without those that are set by configuration. */
  list(signal: AbortSignal): Promise<readonly Issuer[]>;
  insert(issuer: Issuer, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is the version before this. */
  replace(next: Issuer, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is this very version. */
  remove(issuer: Issuer, signal: AbortSignal): Promise<void>;
}

export interface AccountStore {
  find(key: AccountKey, signal: AbortSignal): Promise<ServiceAccount | undefined>;
  insert(account: ServiceAccount, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is the version before this. */
  replace(next: ServiceAccount, signal: AbortSignal): Promise<void>;
  /** With its tokens. `VERSION_STALE` unless the stored one is this very version. */
  remove(account: ServiceAccount, signal: AbortSignal): Promise<void>;
}

export interface AccountKey {
  readonly workspace: ResourceName;
  readonly name: ResourceName;
}

export interface TokenStore {
  /** `undefined` also when it is of another account. */
  find(account: Uuid, id: string, signal: AbortSignal): Promise<AccountToken | undefined>;
  countLive(account: Uuid, now: number, signal: AbortSignal): Promise<number>;
  insert(token: AccountToken, signal: AbortSignal): Promise<void>;
  /** Its end and what it was rotated to; all else never changes. */
  end(token: AccountToken, signal: AbortSignal): Promise<void>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}

export interface SessionStore {
  insert(session: Session, signal: AbortSignal): Promise<void>;
  /** Those that fit all of what is said; how many there were. */
  remove(which: WhichSessions, signal: AbortSignal): Promise<number>;
}

export interface WhichSessions {
  /** Of any kind: who has no sessions has none to remove. */
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
  /** Whether one was ever used, or can be. */
  anyUsedOrLive(now: number, signal: AbortSignal): Promise<boolean>;
  /** Over one with the same hash. */
  put(code: LoginCode, signal: AbortSignal): Promise<void>;
}

/** What is no longer taken though its own text says otherwise. */
export interface Revocation {
  /** `user:<id>`: what was issued to him up to then. `token:<hash>`: this one, by what its issuer signed. */
  readonly key: string;
  readonly notAfter: number;
  /** From then on nothing that it is about can still be valid. */
  readonly expireTime: number;
}

export interface RevocationStore {
  put(revocation: Revocation, signal: AbortSignal): Promise<void>;
}

export interface IdentityEvent {
  readonly type: IdentityEventType;
  readonly time: number;
  readonly subject:
    | { readonly kind: 'issuer'; readonly issuer: Issuer }
    | { readonly kind: 'account'; readonly account: ServiceAccount }
    | { readonly kind: 'token'; readonly account: ServiceAccount; readonly token: AccountToken };
}

/** Takes down what happened, for everybody who wants to know. Kept if the unit is. */
export interface EventSink {
  append(event: IdentityEvent, signal: AbortSignal): Promise<void>;
}

/** Keeps a secret so that only this platform can read it again, and only from the same place. */
export interface Sealer {
  seal(secret: Secret<string>, place: SealedPlace, signal: AbortSignal): Promise<string>;
  open(sealed: string, place: SealedPlace, signal: AbortSignal): Promise<Secret<string>>;
}

/** Where it is kept: what was copied from elsewhere opens for nobody. */
export interface SealedPlace {
  readonly table: string;
  readonly row: readonly string[];
  readonly column: string;
}

/** Chance, and the one-way street that secrets take into the database. */
export interface SecretSource {
  /** 256 bits, in 43 characters of base64url. */
  newSecret(): string;
  newTokenId(): string;
  /** SHA-256, in hex. */
  hash(text: string): string;
}

/** Judges the expressions of a claim mapping before anybody depends on them. */
export interface ClaimLanguage {
  /** What is wrong with it; `undefined` when nothing is. */
  faultOf(expression: string, gives: 'text' | 'list'): string | undefined;
}

/** What the caller wants to be true before something is changed; throws when it is not. */
export interface Precondition {
  check(current: { readonly uid: string; readonly version: number }): void;
}
