import type { Socket } from 'node:net';
import { FairShare, type FairShareLimits } from '#kit/std';
import type { Endpoint } from '../dial/dial.ts';
import { type ListenOptions, type ListenTls, listen } from '../listen/listen.ts';
import { type AcceptStream, DEFAULT_MAX_FRAME_BYTES, type TransportServer } from '../transport.ts';
import { serveConnection } from './served-connection.ts';

export interface GrpcServerOptions extends ListenOptions {
  /** Of the one method that is served, with both names: `/package.Service/Method`. */
  readonly path: string;
  readonly accept: AcceptStream;
  /** Told what `accept` threw. */
  readonly onThrow?: (error: unknown) => void;
  /** Larger ones are not taken. 4 MiB unless told. */
  readonly maxFrameBytes?: number;
  /** On one connection; more wait at the other end. 1,000 unless told. */
  readonly maxStreams?: number;
  /** A connection without a stream is closed after that. 90 s unless told. */
  readonly idleMs?: number;
  /**
   * Whether a certificate is of our own making, by its signature alone: what is more to be known of it is asked of its streams.
   * Such a caller is no stranger, for whom there are few connections, few streams and small frames until one of its streams is
   * admitted.
   */
  readonly recognises?: (certificate: Uint8Array) => boolean;
  readonly strangers?: Partial<FairShareLimits>;
  /** How long a connection may stay a stranger. 15 s unless given. */
  readonly admitWithinMs?: number;
}

/** Connections with TLS that have shown nothing yet. */
export const STRANGERS: FairShareLimits = { total: 256, each: 128 };
export const ADMIT_WITHIN_MS = 15_000;

export interface GrpcServer extends TransportServer {
  /** With the port that was taken. */
  readonly address: Endpoint;
  /** For connections from now on. */
  setCertificate(tls: ListenTls): void;
}

/** Takes the calls of a gRPC method that streams both ways, by any client of gRPC. */
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
