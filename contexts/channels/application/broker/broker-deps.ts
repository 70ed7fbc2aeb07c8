import type { Clock, Sleep } from '#kit/std';
import type { AccessAnswerMessage, AccessRequestMessage } from '../../domain/access-message.ts';
import type { ChannelRule } from '../../domain/channel-acl.ts';
import type { ControlReply, ControlRequest, ReplicaAddress, Welcome } from '../../domain/control-message.ts';
import type { ChannelWindow, CloseFrame } from '../../domain/frame.ts';
import type { DataPorts } from '../data/data-desk.ts';
import type { Uplink } from '../uplink.ts';
import type { AccessResolver } from './access-resolver.ts';
import type { Relay } from './relay.ts';

export interface BrokerDeps {
  /** Run by its creator. */
  readonly uplink: Pick<Uplink, 'open' | 'openBytes' | 'openLink'>;
  readonly access: AccessResolver;
  readonly wire: BrokerWire;
  readonly rules: readonly ChannelRule[];
  /** Names of channels, or prefixes followed by `*`, that use the bulk connection. */
  readonly bulkChannels: readonly string[];
  /** Identifies this process for its lifetime. */
  readonly session: string;
  readonly heartbeatMs: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly newId: () => string;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  readonly limits?: Partial<BrokerLimits>;
  /** Without it there are no data channels. */
  readonly data?: DataPorts | undefined;
  readonly observer: BrokerObserver;
}

/** Codecs for `control` and `access`. `undefined`: malformed, or from a later release. */
export interface BrokerWire {
  readonly encodeControlRequest: (request: ControlRequest) => Uint8Array;
  readonly decodeControlRequest: (payload: Uint8Array) => ControlRequest | undefined;
  readonly encodeControlReply: (reply: ControlReply) => Uint8Array;
  readonly decodeControlReply: (payload: Uint8Array) => ControlReply | undefined;
  readonly decodeAccessRequest: (payload: Uint8Array) => AccessRequestMessage | undefined;
  readonly encodeAccessAnswer: (answer: AccessAnswerMessage) => Uint8Array;
}

/** For logs, and for actions that only the fleetlet process itself can take. Must not throw. */
export interface BrokerObserver {
  welcomed(welcome: Welcome): void;
  renewalAsked(): void;
  /** All live replicas of the platform. */
  replicasListed(replicas: readonly ReplicaAddress[]): void;
  processCame(name: string): void;
  processGone(name: string): void;
  refused(name: string, message: string): void;
  malformed(message: string): void;
  channelClosed(channel: string, why: Omit<CloseFrame, 'kind'>): void;
}

export interface BrokerLimits {
  readonly window: ChannelWindow;
  readonly buffer: ChannelWindow;
  readonly goneAfterMs: number;
  readonly maxSessions: number;
  readonly maxChannelsPerSession: number;
  readonly maxShards: number;
}

export interface BrokerStats {
  readonly processes: number;
  readonly targets: number;
  readonly channels: readonly ChannelStats[];
}

export interface ChannelStats {
  readonly channel: string;
  /** How many processes have it open. */
  readonly processes: number;
  /** Kept until the platform acknowledges it. */
  readonly buffered: { readonly messages: number; readonly bytes: number };
  readonly dropped: number;
  /** Received from processes, waiting for room in the buffer. */
  readonly waiting: number;
  /** Received from the platform, not yet acknowledged by a process. */
  readonly held: number;
  readonly counts: Relay['counts'];
}

export const BROKER_LIMITS: BrokerLimits = {
  window: { messages: 256, bytes: 1024 * 1024 },
  buffer: { messages: 1_024, bytes: 8 * 1024 * 1024 },
  goneAfterMs: 10_000,
  maxSessions: 256,
  maxChannelsPerSession: 64,
  maxShards: 16,
};
