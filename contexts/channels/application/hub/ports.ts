import type { ReplicaAddress, TargetClaim, TargetRefusal, Welcome } from '../../domain/control-message.ts';
import type { CloseReason } from '../../domain/frame.ts';
import type { LinkPeer } from '../link.ts';

/** The fleetlet that a connection was authenticated as. */
export interface KnownFleetlet {
  readonly uid: string;
  /** Unix milliseconds: when its credentials expire. */
  readonly notAfter: number;
  /** Unix milliseconds: a later proof ends what was opened with an earlier one. */
  readonly issuedAt: number;
  /** The fleetlet should request a new certificate. */
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
  | {
      readonly kind: 'refused';
      readonly reason: TargetRefusal;
      readonly message: string;
      readonly identity?: string | undefined;
    };

/** Authenticates fleetlets, and binds them to targets they may serve. Errors are the platform's fault; the fleetlet retries. */
export interface FleetletDirectory {
  /** Called for every stream. */
  authenticate(peer: LinkPeer, signal: AbortSignal): Promise<Authentication>;
  /** Called at every registration. */
  bind(fleetlet: string, claim: TargetClaim, signal: AbortSignal): Promise<Binding>;
  /** Saves what the serving process reports about its target. Resolves with a sentence if the claim is invalid. */
  describe(target: ServedTarget, claim: TargetClaim, signal: AbortSignal): Promise<string | undefined>;
  /** The first message to a fleetlet, each time it connects. */
  welcome(fleetlet: string, signal: AbortSignal): Promise<Omit<Welcome, 'kind' | 'fleetlet' | 'heartbeatMs'>>;
  /** All live replicas, if fleetlets may connect to each of them; otherwise empty. */
  replicas?(): readonly ReplicaAddress[];
}

export interface PresenceChange {
  readonly target: ServedTarget;
  readonly isOnline: boolean;
  readonly time: number;
}

/** Receives which targets are reachable. */
export interface Presence {
  /**
   * Called synchronously: before `changed` when the target goes away, and after `changed` when it is back, so that a target
   * that is reachable is already recorded as connected. Must not throw.
   */
  reachable(target: ServedTarget, isReachable: boolean): void;
  /** Saves the changes. In order for each target; retried after an error. */
  changed(changes: readonly PresenceChange[], signal: AbortSignal): Promise<void>;
}

/** Whether this process accepts fleetlets. Of several processes only one does. */
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
  /** Another process of the same fleetlet replaced this session. */
  | { readonly kind: 'replaced'; readonly fleetlet: string }
  | { readonly kind: 'forgotten'; readonly fleetlet: string }
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string; readonly address: string }
  | { readonly kind: 'malformed'; readonly address: string; readonly message: string }
  | { readonly kind: 'served'; readonly target: ServedTarget; readonly fleetlet: string }
  | { readonly kind: 'superseded'; readonly target: ServedTarget; readonly fleetlet: string; readonly by: string }
  | { readonly kind: 'targetRefused'; readonly name: string; readonly fleetlet: string; readonly message: string }
  /** A message for a target that its sender does not serve. */
  | { readonly kind: 'messageRefused'; readonly channel: string; readonly fleetlet: string; readonly target: string }
  | { readonly kind: 'presenceTrouble'; readonly error: unknown; readonly retryInMs: number }
  /** The presence of one target could not be saved: the target stays offline. Other targets are not affected. */
  | { readonly kind: 'presenceRefused'; readonly target: ServedTarget; readonly error: unknown }
  | { readonly kind: 'trouble'; readonly what: string; readonly fleetlet: string; readonly error: unknown };

/** For logs and metrics. Must not throw. */
export interface HubObserver {
  fact(fact: HubFact): void;
  message(direction: MessageDirection, channel: string, bytes: number): void;
}
