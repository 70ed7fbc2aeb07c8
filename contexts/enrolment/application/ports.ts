import type { EventSink, ResourceName, Uuid } from '#kit/std';
import type { CertificateAuthority } from '../domain/authority.ts';
import type { BootstrapToken } from '../domain/bootstrap-token.ts';
import type { CertificateMark } from '../domain/certificate-standing.ts';
import type { ClaimedTarget } from '../domain/claim-target.ts';
import type { EnrolmentEventType } from '../domain/enrolment-event.ts';
import type { Fleetlet } from '../domain/fleetlet.ts';
import type { Place } from '../domain/place.ts';

/** Atomic, and serializable: everything read in it still holds when it commits. */
export interface UnitOfWork {
  readonly tokens: TokenStore;
  readonly fleetlets: FleetletStore;
  readonly bindings: BindingStore;
  readonly authorities: AuthorityStore;
  readonly targets: TargetRegistrar;
  readonly workspaces: WorkspaceDirectory;
  readonly events: EventSink<EnrolmentEvent>;
}

export interface TokenKey {
  readonly workspace: ResourceName;
  readonly name: string;
}

export interface TokenStore {
  find(key: TokenKey, signal: AbortSignal): Promise<BootstrapToken | undefined>;
  findById(id: string, signal: AbortSignal): Promise<BootstrapToken | undefined>;
  /** The tokens of a workspace that can still be used. */
  countLive(workspace: ResourceName, now: number, signal: AbortSignal): Promise<number>;
  insert(token: BootstrapToken, signal: AbortSignal): Promise<void>;
  /** Adds one use. The caller has checked in the same unit of work that one is left. */
  countUse(id: string, signal: AbortSignal): Promise<void>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}

export interface FleetletStore {
  find(name: string, signal: AbortSignal): Promise<Fleetlet | undefined>;
  findByUid(uid: string, signal: AbortSignal): Promise<Fleetlet | undefined>;
  /** The newest fleetlet that enrolled with this token and this key. */
  findByOrigin(token: string, keyHash: string, signal: AbortSignal): Promise<Fleetlet | undefined>;
  insert(fleetlet: Fleetlet, signal: AbortSignal): Promise<void>;
  /** Throws `VERSION_STALE` unless the stored version is the one before this. */
  replace(next: Fleetlet, signal: AbortSignal): Promise<void>;
  /** Records the certificate in use. Keeps the version, since nothing that the API shows changes. */
  setInUse(uid: string, mark: CertificateMark, signal: AbortSignal): Promise<void>;
  /** Removes its bindings too. Throws `VERSION_STALE` unless the stored version is this one. */
  remove(fleetlet: Fleetlet, signal: AbortSignal): Promise<void>;
}

/** Which fleetlets may serve which targets. */
export interface BindingStore {
  fleetletsOf(target: string, signal: AbortSignal): Promise<readonly Fleetlet[]>;
  targetsOf(fleetlet: string, signal: AbortSignal): Promise<readonly Binding[]>;
  /** `false` when they were already bound. */
  bind(fleetlet: string, target: Binding, signal: AbortSignal): Promise<boolean>;
  /** `false` when they were not bound. */
  unbind(fleetlet: string, target: string, signal: AbortSignal): Promise<boolean>;
}

/** A target that a fleetlet is bound to. Its name never changes. */
export interface Binding {
  readonly uid: string;
  readonly name: string;
}

export interface AuthorityStore {
  /** All authorities, oldest first: there are few. */
  list(signal: AbortSignal): Promise<readonly CertificateAuthority[]>;
  insert(authority: CertificateAuthority, signal: AbortSignal): Promise<void>;
  retire(uid: string, retireTime: number, signal: AbortSignal): Promise<void>;
}

export interface FoundTarget extends ClaimedTarget {
  readonly uid: string;
  readonly workspace: string;
}

/** The part of the targets context that enrolment needs. */
export interface TargetRegistrar {
  find(name: string, signal: AbortSignal): Promise<FoundTarget | undefined>;
  /** Throws the error of the targets context for an invalid target. */
  register(
    target: ClaimedTarget & { readonly workspace: ResourceName; readonly labels: Readonly<Record<string, string>> },
    now: number,
    signal: AbortSignal,
  ): Promise<FoundTarget>;
  /** Sets these labels, and leaves the others unchanged. */
  label(name: string, labels: Readonly<Record<string, string>>, now: number, signal: AbortSignal): Promise<void>;
}

/** The part of the workspaces context that enrolment needs. */
export interface WorkspaceDirectory {
  /** Throws the not-found error of the workspaces context. */
  require(name: string, signal: AbortSignal): Promise<Place>;
}

export interface EnrolmentEvent {
  readonly type: EnrolmentEventType;
  readonly subject:
    | { readonly kind: 'token'; readonly token: BootstrapToken }
    | { readonly kind: 'fleetlet'; readonly fleetlet: Fleetlet; readonly targets: readonly Binding[] }
    | { readonly kind: 'authority'; readonly authority: CertificateAuthority };
}

/** A key whose possession was proved. */
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

/** The issuing authority, with its key opened. */
export interface CertificateSigner {
  readonly authority: CertificateAuthority;
  /** PEM of all authorities that are not retired. */
  readonly bundle: string;
  /** PEM, and the serial in hex. */
  sign(order: CertificateOrder): { readonly pem: string; readonly serial: string };
}
