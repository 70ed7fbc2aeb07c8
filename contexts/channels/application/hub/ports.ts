import type { TargetClaim, TargetRefusal, Welcome } from '../../domain/control-message.ts';
import type { CloseReason } from '../../domain/frame.ts';
import type { LinkPeer } from '../link.ts';

/** Whoever a connection was proved to be of. */
export interface KnownFleetlet {
  readonly uid: string;
  /** Unix milliseconds: what it proved itself with does not hold any longer. */
  readonly notAfter: number;
  /** Unix milliseconds: a later proof ends what was opened with an earlier one. */
  readonly issuedAt: number;
  /** It ought to ask for a new certificate. */
  readonly renewSoon: boolean;
}

export type Authentication =
  | ({ readonly kind: 'known' } & KnownFleetlet)
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string };

export interface ServedTarget {
  readonly uid: string;
  readonly name: string;
  readonly type: string;
}

export type Binding =
  | { readonly kind: 'bound'; readonly target: ServedTarget }
  | { readonly kind: 'refused'; readonly reason: TargetRefusal; readonly message: string };

/** Who fleetlets are and what they may speak for. A throw is trouble of ours, and the fleetlet comes again. */
export interface FleetletDirectory {
  /** Asked for every stream. */
  authenticate(peer: LinkPeer, signal: AbortSignal): Promise<Authentication>;
  /** Asked at every registration. */
  bind(fleetlet: string, claim: TargetClaim, signal: AbortSignal): Promise<Binding>;
  /** Puts down what its agent says of a target; only ever of whoever speaks for it. Resolves with what is wrong with it. */
  describe(target: ServedTarget, claim: TargetClaim, signal: AbortSignal): Promise<string | undefined>;
  /** What a fleetlet is told first, each time that it connects. */
  welcome(fleetlet: string, signal: AbortSignal): Promise<Omit<Welcome, 'kind' | 'fleetlet' | 'heartbeatMs'>>;
}

export interface PresenceChange {
  readonly target: ServedTarget;
  readonly isOnline: boolean;
  readonly time: number;
}

/** Whoever is told which targets can be reached. */
export interface Presence {
  /**
   * At once, and before `changed` when it is away, after it when it is there: whoever is sent to a target finds it put
   * down as connected. Must not throw.
   */
  reachable(target: ServedTarget, isReachable: boolean): void;
  /** Puts it down. In order for each target; told again after a throw. */
  changed(changes: readonly PresenceChange[], signal: AbortSignal): Promise<void>;
}

/** Whether this process takes fleetlets now; of several only one does. */
export type Activity =
  | { readonly kind: 'active' }
  | {
      readonly kind: 'away';
      readonly reason: 'unavailable' | 'draining';
      readonly message: string;
      readonly retryAfterMs: number;
    };

export type MessageDirection = 'in' | 'out';

export type HubFact =
  | { readonly kind: 'connected'; readonly fleetlet: string; readonly address: string; readonly isResumed: boolean }
  | { readonly kind: 'disconnected'; readonly fleetlet: string; readonly why: string | undefined }
  /** Another process of the same fleetlet took its place. */
  | { readonly kind: 'replaced'; readonly fleetlet: string }
  | { readonly kind: 'forgotten'; readonly fleetlet: string }
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string; readonly address: string }
  | { readonly kind: 'malformed'; readonly address: string; readonly message: string }
  | { readonly kind: 'served'; readonly target: ServedTarget; readonly fleetlet: string }
  | { readonly kind: 'superseded'; readonly target: ServedTarget; readonly fleetlet: string; readonly by: string }
  | { readonly kind: 'targetRefused'; readonly name: string; readonly fleetlet: string; readonly message: string }
  /** A message for a target that its sender does not speak for. */
  | { readonly kind: 'messageRefused'; readonly channel: string; readonly fleetlet: string; readonly target: string }
  | { readonly kind: 'presenceTrouble'; readonly error: unknown; readonly retryInMs: number }
  /** Who speaks for one target cannot be put down: it stays away, and no other does. */
  | { readonly kind: 'presenceRefused'; readonly target: ServedTarget; readonly error: unknown }
  | { readonly kind: 'trouble'; readonly what: string; readonly fleetlet: string; readonly error: unknown };

/** For the log and for metrics. Must not throw. */
export interface HubObserver {
  fact(fact: HubFact): void;
  message(direction: MessageDirection, channel: string, bytes: number): void;
}
