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
  /** Of this process and its life. */
  readonly session: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly newId: () => string;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** How often fleetlets are to say that they are there. One that is not heard of for three of these is gone. */
  readonly heartbeatMs: number;
  readonly limits?: Partial<HubLimits>;
}

export interface HubStats {
  /** Fleetlets that are connected. */
  readonly sessions: number;
  /** Targets that can be reached. */
  readonly targets: number;
  readonly bufferedBytes: number;
  /** Targets that tell all that they have, and those that wait for their turn. */
  readonly syncs: number;
  readonly syncsWaiting: number;
}

/** What one fleetlet may take of the platform, and all of them together. */
export interface HubLimits {
  readonly streamsPerSession: number;
  readonly channelsPerSession: number;
  readonly targetsPerSession: number;
  /** Targets that tell all that they have at once, and how long each may take before the next has its turn. */
  readonly syncsAtOnce: number;
  readonly syncWithinMs: number;
  /** How long a session that is cut off is remembered, and how many of those. */
  readonly memoryMs: number;
  readonly maxCut: number;
  /** How long a message waits for its target to be registered. */
  readonly holdMs: number;
  /** How long a fleetlet may take to open a stream that it was asked for. */
  readonly streamWithinMs: number;
}

export const HUB_LIMITS: HubLimits = {
  // As many as one connection carries: a fleetlet whose processes read data channels has one for each source.
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
