import type { ServerSessionOptions, Settings } from 'node:http2';

/** How much may be in flight on one stream before the receiver has read any of it. */
const STREAM_WINDOW = 1024 * 1024;

/**
 * The same for all streams of a connection together. A paused stream does not use it up: Node returns the connection's credit
 * at once, so that no stream can block the others.
 */
export const CONNECTION_WINDOW = 16 * 1024 * 1024;

/** In MiB. Beyond that Node refuses new streams; a few large frames reach its default of 10. */
export const MAX_SESSION_MEMORY = 64;

/**
 * The same on a connection that is kept short. At 8 MiB/s a frame waits 16 ms for that much of another stream; a stream that
 * is 100 ms away still carries 1.25 MiB/s.
 */
export const SHORT_SETTINGS: Settings = { initialWindowSize: 128 * 1024 };

export const CONTENT_TYPE = 'application/grpc+proto';

export const HTTP2_SETTINGS: Settings = {
  enablePush: false,
  initialWindowSize: STREAM_WINDOW,
  maxHeaderListSize: 64 * 1024,
};

/** The initial window of HTTP/2. */
export const STRANGERS_SETTINGS: Settings = { ...HTTP2_SETTINGS, initialWindowSize: 65_535 };

/** Concurrent streams on a connection that has no admitted stream yet. */
export const STRANGERS_STREAMS = 8;

/**
 * Limits after which a session is ended. They equal today's defaults of Node and nghttp2; they are explicit so that a new
 * release of these cannot weaken the flood protection. A header block in more than eight CONTINUATION frames also ends the
 * session: nghttp2 has no setting for that.
 */
export const FLOOD_LIMITS = {
  /** Resets by the client: maximum burst, and average per second. */
  streamResetBurst: 1_000,
  streamResetRate: 33,
  maxSessionInvalidFrames: 100,
  /** Streams beyond the agreed number. */
  maxSessionRejectedStreams: 100,
  maxOutstandingPings: 10,
  maxSettings: 32,
  maxHeaderListPairs: 128,
} satisfies ServerSessionOptions;
