import { type ClientHttp2Session, connect as http2Connect } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type DialOptions, dial, endpointName, withinTime } from '../dial/dial.ts';
import { DEFAULT_MAX_FRAME_BYTES, type Transport } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { GrpcConnection } from './grpc-connection.ts';
import { CONNECTION_WINDOW, HTTP2_SETTINGS, MAX_SESSION_MEMORY } from './http2-settings.ts';

export interface GrpcTransportOptions extends DialOptions {
  /** The method to call, with both names: `/package.Service/Method`. */
  readonly path: string;
  /** Larger frames are refused. Default 4 MiB. */
  readonly maxFrameBytes?: number;
}

/** Streams of frames as calls of a bidirectional gRPC method, on one HTTP/2 connection. */
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
    throw new TransportError('REFUSED', `${doing}: the server does not speak HTTP/2`);
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

/** Until its settings arrive, the other end may be anything, or may be about to refuse the client certificate. */
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
  const why = error instanceof Error ? error.message : 'the connection was closed before any data arrived';
  // Network errors have codes such as ECONNRESET; for TLS alerts and non-HTTP/2 data Node uses codes with ERR_.
  const isSaid = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_');
  return new TransportError(isSaid ? 'REFUSED' : 'UNREACHABLE', `${doing}: ${why}`, { cause: error });
}

/** Only the authority sent to the other end; the connection exists already. */
function authorityOf({ to, tls }: DialOptions): string {
  const name = 'path' in to ? 'localhost' : endpointName(to);
  return `${tls ? 'https' : 'http'}://${name}`;
}
