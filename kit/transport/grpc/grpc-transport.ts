import { type ClientHttp2Session, connect as http2Connect } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type DialOptions, dial, endpointName, withinTime } from '../dial/dial.ts';
import { DEFAULT_MAX_FRAME_BYTES, type Transport } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { GrpcConnection } from './grpc-connection.ts';
import { CONNECTION_WINDOW, HTTP2_SETTINGS, MAX_SESSION_MEMORY } from './http2-settings.ts';

export interface GrpcTransportOptions extends DialOptions {
  /** Of the one method that is called, with both names: `/package.Service/Method`. */
  readonly path: string;
  /** Larger ones are not taken. 4 MiB unless told. */
  readonly maxFrameBytes?: number;
}

/** Streams of frames as calls of a gRPC method that streams both ways, on one HTTP/2 connection. */
export function createGrpcTransport(options: GrpcTransportOptions): Transport {
  const { path, maxFrameBytes = DEFAULT_MAX_FRAME_BYTES } = options;
  return {
    name: 'grpc',
    connect: async (signal) => {
      const { session, socket } = await withinTime(options, (soon) => openSession(options, soon), signal);
      return new GrpcConnection({ session, socket, path, maxFrameBytes });
    },
  };
}

async function openSession(options: DialOptions, signal: AbortSignal): Promise<Greeted> {
  const doing = `connect to ${endpointName(options.to)}`;
  const socket = await dial(options, 'h2', signal);
  if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
    socket.destroy();
    throw new TransportError('REFUSED', `${doing}: what answers there does not speak HTTP/2`);
  }
  const session = http2Connect(authorityOf(options), {
    createConnection: () => socket,
    settings: HTTP2_SETTINGS,
    maxSessionMemory: MAX_SESSION_MEMORY,
  });
  try {
    await greeting(session, signal);
  } catch (error) {
    session.destroy();
    socket.destroy();
    signal.throwIfAborted();
    throw greetingError(error, doing);
  }
  session.setLocalWindowSize(CONNECTION_WINDOW);
  return { session, socket };
}

interface Greeted {
  readonly session: ClientHttp2Session;
  readonly socket: Socket;
}

/** Until the other end has said its settings, it may be anything, or about to refuse our certificate. */
async function greeting(session: ClientHttp2Session, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  session.once('remoteSettings', () => resolve()).once('close', reject);
  session.on('error', reject);
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    session.off('close', reject);
  }
}

function greetingError(error: unknown, doing: string): TransportError {
  const why = error instanceof Error ? error.message : 'the connection was closed before anything was said';
  // What the network says is ECONNRESET and the like; TLS alerts and what is no HTTP/2 are named by Node.
  const isSaid = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_');
  return new TransportError(isSaid ? 'REFUSED' : 'UNREACHABLE', `${doing}: ${why}`, { cause: error });
}

/** Only what the other end is told it is called; the connection is there already. */
function authorityOf({ to, tls }: DialOptions): string {
  const name = 'path' in to ? 'localhost' : endpointName(to);
  return `${tls ? 'https' : 'http'}://${name}`;
}
