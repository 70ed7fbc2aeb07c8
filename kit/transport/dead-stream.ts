import type { Peer, Stream, StreamHandlers } from './transport.ts';
import type { TransportError } from './transport-error.ts';

/** A stream that could not be opened: it is closed before anything can happen on it. */
export function deadStream(peer: Peer, handlers: StreamHandlers, error: TransportError): Stream {
  process.nextTick(() => handlers.closed(error));
  const nothing = (): void => {};
  return { peer, send: () => true, pause: nothing, resume: nothing, end: nothing, destroy: nothing };
}
