import type { ServerSessionOptions, Settings } from 'node:http2';

/** What may be under way on one stream before the receiver has taken any of it. */
const STREAM_WINDOW = 1024 * 1024;

/**
 * The same for all streams of a connection together. A stream that is paused has no part in it: Node gives back what came
 * for the connection at once, so that none can hold up the others.
 */
export const CONNECTION_WINDOW = 16 * 1024 * 1024;

/** In MiB. Beyond that Node refuses new streams; its own limit of 10 is reached by a few large frames. */
export const MAX_SESSION_MEMORY = 64;

export const CONTENT_TYPE = 'application/grpc+proto';

export const HTTP2_SETTINGS: Settings = {
  enablePush: false,
  initialWindowSize: STREAM_WINDOW,
  maxHeaderListSize: 64 * 1024,
};

/** With the window that HTTP/2 begins with. */
export const STRANGERS_SETTINGS: Settings = { ...HTTP2_SETTINGS, initialWindowSize: 65_535 };

/** Streams at once on a connection of which no stream is admitted yet. */
export const STRANGERS_STREAMS = 32;

/**
 * What a session takes before it is ended. They are the defaults of Node and nghttp2 today; written down, since what keeps a flood
 * off should not change with a release of theirs. A header block in more than eight CONTINUATION frames ends the session, too:
 * nghttp2 has no setting for that.
 */
export const FLOOD_LIMITS = {
  /** Resets by the caller: so many at once, and so many a second on average. */
  streamResetBurst: 1_000,
  streamResetRate: 33,
  maxSessionInvalidFrames: 100,
  /** Streams beyond the number that was agreed on. */
  maxSessionRejectedStreams: 100,
  maxOutstandingPings: 10,
  maxSettings: 32,
  maxHeaderListPairs: 128,
} satisfies ServerSessionOptions;
