/** The protocol versions that this release supports. */
export const PROTOCOL_VERSION = 1;
export const OLDEST_PROTOCOL_VERSION = 1;

/** The largest payload of one frame. A larger message is split into chunks of this size. */
export const CHUNK_BYTES = 64 * 1024;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** How many chunked messages may be unacknowledged at once. */
const LARGE_AT_ONCE = 2;

export interface MessageLimits {
  readonly chunkBytes: number;
  readonly maxMessageBytes: number;
  readonly largeAtOnce: number;
}

export const PROTOCOL_LIMITS: MessageLimits = {
  chunkBytes: CHUNK_BYTES,
  maxMessageBytes: MAX_MESSAGE_BYTES,
  largeAtOnce: LARGE_AT_ONCE,
};

export const CHANNEL_MODES = ['reliable', 'lossy', 'bytes'] as const;
export type ChannelMode = (typeof CHANNEL_MODES)[number];

export const CLOSE_REASONS = [
  'done',
  'draining',
  'superseded',
  'unauthenticated',
  'forbidden',
  'unknownChannel',
  'unknownTarget',
  'version',
  'malformed',
  'tooLarge',
  'tooMany',
  'revoked',
  'unavailable',
  'corrupt',
] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** The state that an end remembers of a channel, so that after a cut no message is resent needlessly or processed twice. */
export interface ChannelMemory {
  /**
   * Different in each handshake: the name that the other end remembers if the two start over with this handshake. The
   * handshakes of one process lifetime are numbered after a dot (`life.1`), so that one that arrives late is recognised.
   */
  readonly incarnation: string;
  /** The handshake name of the other end that this end remembers, if any. The remaining fields refer to it. */
  readonly ofIncarnation: string | undefined;
  readonly receivedUpTo: number;
  /** Pairs in ascending order: first and last id of each range received above `receivedUpTo`. */
  readonly receivedAbove: readonly number[];
  /**
   * Received but not acknowledged yet. Every other received message counts as acknowledged, even if its acknowledgement was
   * lost.
   */
  readonly unacknowledged: readonly number[];
}

/** How much an end accepts before it has acknowledged any of it. Messages sent in chunks do not count as bytes. */
export interface ChannelWindow {
  readonly messages: number;
  readonly bytes: number;
}

export interface OpenFrame {
  readonly kind: 'open';
  readonly version: number;
  readonly oldestVersion: number;
  readonly session: string;
  readonly channel: string;
  readonly mode: ChannelMode;
  readonly process: string;
  readonly target: string;
  readonly shard: number;
  readonly shards: number;
  readonly memory: ChannelMemory;
  readonly window: ChannelWindow;
  readonly stream: string;
  readonly ticket: Uint8Array;
  /** Of a data channel: this end reads what other fleetlets send. */
  readonly reads: boolean;
}

export interface OpenedFrame {
  readonly kind: 'opened';
  readonly version: number;
  readonly session: string;
  readonly memory: ChannelMemory;
  readonly window: ChannelWindow;
}

export interface MessageFrame {
  readonly kind: 'message';
  /** Numbers the messages of one end, from 1. */
  readonly id: number;
  readonly target: string;
  readonly process: string;
  readonly key: string;
  /** Unix milliseconds, or 0. */
  readonly deadline: number;
  readonly redelivered: boolean;
  readonly dropped: number;
  readonly payload: Uint8Array;
  /** More than 0 when the payload follows in chunks. */
  readonly chunkedSize: number;
  readonly sha256: Uint8Array;
}

export interface ChunkFrame {
  readonly kind: 'chunk';
  readonly id: number;
  readonly offset: number;
  readonly data: Uint8Array;
}

export interface AckFrame {
  readonly kind: 'ack';
  readonly ids: readonly number[];
}

export interface CloseFrame {
  readonly kind: 'close';
  readonly reason: CloseReason;
  readonly message: string;
  /** 0 when unknown. */
  readonly retryAfterMs: number;
}

export interface BytesFrame {
  readonly kind: 'bytes';
  readonly data: Uint8Array;
  readonly end: boolean;
}

export type Frame =
  | OpenFrame
  | OpenedFrame
  | MessageFrame
  | ChunkFrame
  | AckFrame
  | { readonly kind: 'resumed' }
  | CloseFrame
  | BytesFrame
  | { readonly kind: 'ping'; readonly nonce: number }
  | { readonly kind: 'pong'; readonly nonce: number };
