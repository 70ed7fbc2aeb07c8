import type { Socket } from 'node:net';
import { FairShare, type FairShareLimits } from '#kit/std';
import type { Endpoint } from '../dial/dial.ts';
import { type ListenOptions, type ListenTls, listen } from '../listen/listen.ts';
import { type AcceptStream, DEFAULT_MAX_FRAME_BYTES, type TransportServer } from '../transport.ts';
import { serveConnection } from './served-connection.ts';

export interface GrpcServerOptions extends ListenOptions {
  /** The method to serve, with both names: `/package.Service/Method`. */
  readonly path: string;
  readonly accept: AcceptStream;
  /** Receives errors thrown by `accept`. */
  readonly onThrow?: (error: unknown) => void;
  /** Larger frames are refused. Default 4 MiB. */
  readonly maxFrameBytes?: number;
  /** Per connection; further streams wait at the other end. Default 1,000. */
  readonly maxStreams?: number;
  /** A connection without streams is closed after this. Default 90 s. */
  readonly idleMs?: number;
  /**
   * Whether a certificate was issued by this platform, checked by its signature alone; everything else is checked for each
   * stream. Other callers are strangers: until one of their streams is admitted, they get few connections, few streams and
   * small frames.
   */
  readonly recognises?: (certificate: Uint8Array) => boolean;
  readonly strangers?: Partial<FairShareLimits>;
  /** How long a connection may stay a stranger. Default 15 s. */
  readonly admitWithinMs?: number;
}

/** TLS connections that are not authenticated yet. Each holds some 100 KiB in OpenSSL and nghttp2. */
export const STRANGERS: FairShareLimits = { total: 128, each: 128 };
export const ADMIT_WITHIN_MS = 15_000;

export interface GrpcServer extends TransportServer {
  /** With the actual port. */
  readonly address: Endpoint;
  /** For new connections. */
  setCertificate(tls: ListenTls): void;
}

/** Serves a bidirectional gRPC method, for any gRPC client. */
export async function listenGrpc(options: GrpcServerOptions): Promise<GrpcServer> {
  const served = {
    path: options.path,
    accept: options.accept,
    onThrow: options.onThrow ?? (() => {}),
    maxFrameBytes: options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES,
    maxStreams: options.maxStreams ?? 1_000,
    idleMs: options.idleMs ?? 90_000,
    recognises: options.recognises ?? (() => false),
    strangers: new FairShare<Socket>({ ...STRANGERS, ...options.strangers }),
    admitWithinMs: options.admitWithinMs ?? ADMIT_WITHIN_MS,
  };
  const listener = await listen(options, 'h2', (socket, from) => serveConnection(socket, from, served));
  return {
    address: listener.address,
    setCertificate: (tls) => listener.setCertificate(tls),
    stopListening: async () => listener.stop(),
    close: () => listener.close(),
  };
}
