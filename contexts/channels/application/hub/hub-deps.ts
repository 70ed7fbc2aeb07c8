import type { Clock, Random, Sleep } from '#kit/std';
import type { ControlCodec, ControlExtension } from './control-desk.ts';
import type { Activity, FleetletDirectory, HubObserver, Presence } from './ports.ts';

export interface SessionHubDeps {
  readonly directory: FleetletDirectory;
  readonly presence: Presence;
  readonly observer: HubObserver;
  readonly codec: ControlCodec;
  readonly extension?: ControlExtension;
  readonly activity: () => Activity;
  /** Identifies this process for its lifetime. */
  readonly session: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly newId: () => string;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** How often fleetlets have to send a heartbeat. After three missed ones a fleetlet counts as gone. */
  readonly heartbeatMs: number;
  readonly limits?: Partial<HubLimits>;
}

export interface HubStats {
  /** Connected fleetlets. */
  readonly sessions: number;
  /** Reachable targets. */
  readonly targets: number;
  readonly bufferedBytes: number;
  /** Targets that are sending a full sync, and below those that wait for their turn. */
  readonly syncs: number;
  readonly syncsWaiting: number;
}

/** Limits per fleetlet, and for all of them together. */
export interface HubLimits {
  readonly streamsPerSession: number;
  readonly channelsPerSession: number;
  readonly targetsPerSession: number;
  /** How many targets may send a full sync at once, and how long each may take before the next one starts. */
  readonly syncsAtOnce: number;
  readonly syncWithinMs: number;
  /** How long a disconnected session is remembered, and how many of them. */
  readonly memoryMs: number;
  readonly maxCut: number;
  /** How long a message waits for its target to be registered. */
  readonly holdMs: number;
  /** How long a fleetlet may take to open a stream that the platform asked for. */
  readonly streamWithinMs: number;
}

export const HUB_LIMITS: HubLimits = {
  // As many as one connection carries: a fleetlet whose processes read data channels has a stream for each source.
  streamsPerSession: 1_000,
  channelsPerSession: 64,
  targetsPerSession: 1_000,
  syncsAtOnce: 16,
  syncWithinMs: 60_000,
  memoryMs: 5 * 60_000,
  maxCut: 2_000,
  holdMs: 60_000,
  streamWithinMs: 10_000,
};
