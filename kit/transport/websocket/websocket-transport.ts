import { CONNECT_WITHIN_MS, type DialOptions, dial, endpointName, withinTime } from '../dial/dial.ts';
import { DEFAULT_MAX_FRAME_BYTES, type Transport } from '../transport.ts';
import { upgradeSocket } from './upgrade-socket.ts';
import { WebSocketConnection } from './websocket-connection.ts';

export interface WebSocketTransportOptions extends DialOptions {
  readonly path: string;
  /** The subprotocol to ask for. */
  readonly protocol: string;
  /** Larger ones are not taken. 4 MiB unless told. */
  readonly maxFrameBytes?: number;
  /** How often something is said on each, so that nobody in between forgets it. 20 s unless told. */
  readonly pingMs?: number;
}

/** Streams of frames as WebSockets, one each: for where only HTTP/1.1 gets through. */
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
        // It proves that the other end is there and trusted.
        first: await dialOne(signal),
        dial: dialOne,
        upgrade: (socket, upgrade) => upgradeSocket(socket, upgradeOptions, upgrade),
        pingMs,
      }),
  };
}
