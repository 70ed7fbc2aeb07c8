import { CONNECT_WITHIN_MS, type DialOptions, dial, endpointName, withinTime } from '../dial/dial.ts';
import { DEFAULT_MAX_FRAME_BYTES, type Transport } from '../transport.ts';
import { upgradeSocket } from './upgrade-socket.ts';
import { WebSocketConnection } from './websocket-connection.ts';

export interface WebSocketTransportOptions extends DialOptions {
  readonly path: string;
  /** The subprotocol to request. */
  readonly protocol: string;
  /** Larger frames are refused. Default 4 MiB. */
  readonly maxFrameBytes?: number;
  /** How often each stream is pinged, so that middleboxes do not drop it. Default 20 s. */
  readonly pingMs?: number;
}

/** Streams of frames as WebSockets, one each: for networks that only allow HTTP/1.1. */
export function createWebSocketTransport(options: WebSocketTransportOptions): Transport {
  const { to, path, protocol, maxFrameBytes = DEFAULT_MAX_FRAME_BYTES } = options;
  const { connectWithinMs = CONNECT_WITHIN_MS, pingMs = 20_000 } = options;
  const url = `//${'path' in to ? 'localhost' : endpointName(to)}${path}`;
  const upgradeOptions = { url, protocol, maxFrameBytes, withinMs: connectWithinMs };
  const dialOne = (signal: AbortSignal) => withinTime(options, (soon) => dial(options, 'http/1.1', soon), signal);
  return {
    name: 'websocket',
    connect: async (signal) =>
      new WebSocketConnection({
        // Proves that the other end is reachable and trusted.
        first: await dialOne(signal),
        dial: dialOne,
        upgrade: (socket, upgrade) => upgradeSocket(socket, upgradeOptions, upgrade),
        pingMs,
      }),
  };
}
