import type { Settings } from 'node:http2';

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
