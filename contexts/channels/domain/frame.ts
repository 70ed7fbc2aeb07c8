/** The versions of the protocol that this release speaks. */
export const PROTOCOL_VERSION = 1;
export const OLDEST_PROTOCOL_VERSION = 1;

/** Bytes of a message that travel as one; what is larger is cut into chunks of this size. */
export const CHUNK_BYTES = 64 * 1024;
/** The largest message there is. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** So many messages that travel in chunks may be unacknowledged at once. */
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

/** What an end remembers of a channel, so that after a cut nothing is sent in vain and nothing is taken twice. */
export interface ChannelMemory {
  /**
   * Another in each handshake: the name that the other end is to remember, should the two begin anew with this one. A
   * life's handshakes are counted behind a dot, `life.1`, so that one that comes after a later one is seen to.
   */
  readonly incarnation: string;
  /** The name of the other end that this one remembers, if any. The rest is about that one. */
  readonly ofIncarnation: string | undefined;
  readonly receivedUpTo: number;
  /** In pairs, ascending: the first and the last id of each range that was received above `receivedUpTo`. */
  readonly receivedAbove: readonly number[];
  /** Received, but not acknowledged yet. The acknowledgement of all else that was received may be lost, and is this. */
  readonly unacknowledged: readonly number[];
}

/** How much an end takes before it has acknowledged any of it. What travels in chunks does not count as bytes. */
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
  /** Of a data channel: takes what others send. */
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
  /** Counts what one end sends, from 1. */
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
  /** 0 when it is not known. */
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
