import type { ResourceName, Uuid } from '#kit/std';
import type { CertificateAuthority } from '../domain/authority.ts';
import type { BootstrapToken } from '../domain/bootstrap-token.ts';
import type { CertificateMark } from '../domain/certificate-standing.ts';
import type { ClaimedTarget } from '../domain/claim-target.ts';
import type { EnrolmentEventType } from '../domain/enrolment-event.ts';
import type { Fleetlet } from '../domain/fleetlet.ts';
import type { Place } from '../domain/place.ts';

/** Everything in it happens together or not at all, and what was read in it still holds when it ends. */
export interface UnitOfWork {
  readonly tokens: TokenStore;
  readonly fleetlets: FleetletStore;
  readonly bindings: BindingStore;
  readonly authorities: AuthorityStore;
  readonly targets: TargetRegistrar;
  readonly workspaces: WorkspaceDirectory;
  readonly events: EventSink;
}

export interface TokenKey {
  readonly workspace: ResourceName;
  readonly name: string;
}

export interface TokenStore {
  find(key: TokenKey, signal: AbortSignal): Promise<BootstrapToken | undefined>;
  findById(id: string, signal: AbortSignal): Promise<BootstrapToken | undefined>;
  /** Those of a workspace that could still be used. */
  countLive(workspace: ResourceName, now: number, signal: AbortSignal): Promise<number>;
  insert(token: BootstrapToken, signal: AbortSignal): Promise<void>;
  /** One more. That there was one left has been seen in the same unit. */
  countUse(id: string, signal: AbortSignal): Promise<void>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}

export interface FleetletStore {
  find(name: string, signal: AbortSignal): Promise<Fleetlet | undefined>;
  findByUid(uid: string, signal: AbortSignal): Promise<Fleetlet | undefined>;
  /** The newest that enrolled with this token and this key. */
  findByOrigin(token: string, keyHash: string, signal: AbortSignal): Promise<Fleetlet | undefined>;
  insert(fleetlet: Fleetlet, signal: AbortSignal): Promise<void>;
  /** `VERSION_STALE` unless the stored one is the version before this. */
  replace(next: Fleetlet, signal: AbortSignal): Promise<void>;
  /** Which certificate is in use; without a new version, since none of what the API shows changes. */
  setInUse(uid: string, mark: CertificateMark, signal: AbortSignal): Promise<void>;
  /** With its bindings. `VERSION_STALE` unless the stored one is this very version. */
  remove(fleetlet: Fleetlet, signal: AbortSignal): Promise<void>;
}

/** Which fleetlets may speak for which targets. */
export interface BindingStore {
  fleetletsOf(target: string, signal: AbortSignal): Promise<readonly Fleetlet[]>;
  targetsOf(fleetlet: string, signal: AbortSignal): Promise<readonly Binding[]>;
  /** Nothing when they are bound already. */
  bind(fleetlet: string, target: Binding, signal: AbortSignal): Promise<boolean>;
  /** Nothing when they are not bound. */
  unbind(fleetlet: string, target: string, signal: AbortSignal): Promise<boolean>;
}

/** A target as a fleetlet is bound to it. Its name never changes. */
export interface Binding {
  readonly uid: string;
  readonly name: string;
}

export interface AuthorityStore {
  /** All of them, the oldest first: there are few. */
  list(signal: AbortSignal): Promise<readonly CertificateAuthority[]>;
  insert(authority: CertificateAuthority, signal: AbortSignal): Promise<void>;
  retire(uid: string, retireTime: number, signal: AbortSignal): Promise<void>;
}

export interface FoundTarget extends ClaimedTarget {
  readonly uid: string;
  readonly workspace: string;
}

/** The targets, as far as those are concerned who come to speak for them. */
export interface TargetRegistrar {
  find(name: string, signal: AbortSignal): Promise<FoundTarget | undefined>;
  /** Refuses what is no target, in the words of those who know. */
  register(
    target: ClaimedTarget & { readonly workspace: ResourceName; readonly labels: Readonly<Record<string, string>> },
    now: number,
    signal: AbortSignal,
  ): Promise<FoundTarget>;
  /** Sets these, and leaves others. */
  label(name: string, labels: Readonly<Record<string, string>>, now: number, signal: AbortSignal): Promise<void>;
}

/** The workspaces, as far as enrolment is concerned. */
export interface WorkspaceDirectory {
  /** Throws the error of a workspace that is missing. */
  require(name: string, signal: AbortSignal): Promise<Place>;
}

export interface EnrolmentEvent {
  readonly type: EnrolmentEventType;
  readonly time: number;
  readonly subject:
    | { readonly kind: 'token'; readonly token: BootstrapToken }
    | { readonly kind: 'fleetlet'; readonly fleetlet: Fleetlet; readonly targets: readonly Binding[] }
    | { readonly kind: 'authority'; readonly authority: CertificateAuthority };
}

/** Takes down what happened, for everybody who wants to know. Kept if the unit is. */
export interface EventSink {
  append(event: EnrolmentEvent, signal: AbortSignal): Promise<void>;
}

/** A key whose owner has proved that it is his. */
export interface ProvenKey {
  /** SHA-256 of the SPKI, in hex. */
  readonly hash: string;
  readonly spki: Uint8Array;
}

export interface CertificateOrder {
  readonly fleetlet: Uuid;
  readonly key: ProvenKey;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The authority that issues now, with its key at hand. */
export interface CertificateSigner {
  readonly authority: CertificateAuthority;
  /** PEM of all that count. */
  readonly bundle: string;
  /** PEM, and the serial in hex. */
  sign(order: CertificateOrder): { readonly pem: string; readonly serial: string };
}

/** Chance, and the one-way street that secrets take into the database. */
export interface SecretSource {
  /** 256 bits, in 43 characters of base64url. */
  newSecret(): string;
  newTokenId(): string;
  /** SHA-256, in hex. */
  hash(text: string): string;
}

/** What the caller wants to be true before something is changed; throws when it is not. */
export interface Precondition {
  check(current: { readonly uid: string; readonly version: number }): void;
}
