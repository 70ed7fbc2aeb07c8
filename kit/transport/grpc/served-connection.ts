import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { callerNetwork, type FairShare } from '#kit/std';
import { connectionLost } from '../connection-lost.ts';
import { headersOf, peerOfSocket } from '../peer-of-socket.ts';
import { type AcceptStream, FIRST_FRAME_BYTES, type Peer, type StreamHandlers } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { GRPC_STATUS, statusTrailers } from './grpc-status.ts';
import { type GrpcSide, GrpcStream } from './grpc-stream.ts';
import {
  CONNECTION_WINDOW,
  CONTENT_TYPE,
  FLOOD_LIMITS,
  HTTP2_SETTINGS,
  MAX_SESSION_MEMORY,
  STRANGERS_SETTINGS,
  STRANGERS_STREAMS,
} from './http2-settings.ts';

export interface ServedConnectionOptions {
  readonly path: string;
  readonly accept: AcceptStream;
  readonly onThrow: (error: unknown) => void;
  readonly maxFrameBytes: number;
  readonly maxStreams: number;
  readonly idleMs: number;
  /** Whether a certificate was issued by this platform. */
  readonly recognises: (certificate: Uint8Array) => boolean;
  /** The connections that are not authenticated yet. */
  readonly strangers: FairShare<Socket>;
  /** Timeout until one of the streams is admitted. A connection with a recognised certificate has `idleMs` instead. */
  readonly admitWithinMs: number;
}

/** Serves an accepted connection. If there are too many strangers, another one is closed for it, or this one is. */
export function serveConnection(socket: Socket, from: string, options: ServedConnectionOptions): void {
  const shown = peerOfSocket(socket, {}, from);
  const isTrusted = shown.isTrusted || (shown.certificate !== undefined && options.recognises(shown.certificate));
  const displaced = isTrusted ? undefined : options.strangers.add(callerNetwork(from), socket);
  displaced?.destroy();
  if (displaced === socket) return;
  new ServedConnection(socket, { ...shown, isTrusted }, options);
}

class ServedConnection {
  readonly #session: ServerHttp2Session;
  readonly #options: ServedConnectionOptions;
  readonly #peer: Peer;
  readonly #streams = new Set<GrpcStream>();
  readonly #socket: Socket;
  /** Set while the connection is a stranger. */
  #late: NodeJS.Timeout | undefined;
  #isGone = false;
  #idle: NodeJS.Timeout | undefined;
  #cause: unknown;

  constructor(socket: Socket, peer: Peer, options: ServedConnectionOptions) {
    this.#options = options;
    this.#socket = socket;
    this.#peer = peer;
    const { maxStreams, admitWithinMs } = options;
    if (!peer.isTrusted) this.#late = setTimeout(() => socket.destroy(), admitWithinMs).unref();
    // A stranger has the initial windows of HTTP/2: only admitted callers may have more in flight.
    const known = { ...HTTP2_SETTINGS, maxConcurrentStreams: maxStreams };
    const strangers = { ...STRANGERS_SETTINGS, maxConcurrentStreams: Math.min(STRANGERS_STREAMS, maxStreams) };
    this.#session = performServerHandshake(socket, {
      ...FLOOD_LIMITS,
      settings: peer.isTrusted ? known : strangers,
      maxSessionMemory: MAX_SESSION_MEMORY,
    });
    if (peer.isTrusted) this.#session.setLocalWindowSize(CONNECTION_WINDOW);
    this.#session.on('error', (error) => {
      this.#cause = error;
    });
    this.#session.on('stream', (http2, headers) => this.#call(http2, headers));
    // As for dialled connections: the session might wait without end.
    socket.once('close', () => this.#gone());
    this.#whenIdle();
  }

  #call(http2: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const refusal = refusalOf(headers, this.#options.path);
    if (refusal !== undefined) {
      http2.on('error', () => {});
      http2.respond(refusal, { endStream: true });
      linger(http2);
      return;
    }
    clearTimeout(this.#idle);
    const peer = { ...this.#peer, headers: headersOf(headers) };
    const { maxFrameBytes, accept, onThrow } = this.#options;
    const side = calledSide(http2, {
      over: () => {
        this.#streams.delete(stream);
        if (this.#streams.size === 0) this.#whenIdle();
      },
      admitted: () => this.#admitted(),
      failed: () => this.#streamFailed(),
    });
    const firstFrameBytes = peer.isTrusted ? maxFrameBytes : FIRST_FRAME_BYTES;
    const stream = new GrpcStream({ http2, peer, maxFrameBytes, firstFrameBytes, side });
    this.#streams.add(stream);
    http2.respond({ ':status': 200, 'content-type': CONTENT_TYPE }, { waitForTrailers: true });
    let handlers: StreamHandlers = NOBODY;
    try {
      handlers = accept(stream);
    } catch (error) {
      onThrow(error);
      stream.fail(error instanceof TransportError ? error : new TransportError('REFUSED', 'the call was not accepted'));
    }
    stream.handTo(handlers);
  }

  #admitted(): void {
    if (this.#late === undefined) return;
    this.#noStranger();
    if (this.#session.destroyed) return;
    this.#session.settings({ ...HTTP2_SETTINGS, maxConcurrentStreams: this.#options.maxStreams });
    this.#session.setLocalWindowSize(CONNECTION_WINDOW);
  }

  /** A stranger that violates the limits loses its connection, after a moment to read the reason. */
  #streamFailed(): boolean {
    if (this.#late === undefined) return false;
    setTimeout(() => this.#socket.destroy(), STRANGER_LINGER_MS).unref();
    return true;
  }

  #noStranger(): void {
    clearTimeout(this.#late);
    this.#late = undefined;
    this.#options.strangers.delete(callerNetwork(this.#peer.address), this.#socket);
  }

  #whenIdle(): void {
    if (!this.#isGone) this.#idle = setTimeout(() => this.#socket.destroy(), this.#options.idleMs).unref();
  }

  #gone(): void {
    this.#isGone = true;
    clearTimeout(this.#idle);
    this.#noStranger();
    const lost = connectionLost(this.#cause);
    for (const stream of this.#streams) stream.lose(lost);
  }
}

interface SideOwner {
  over(): void;
  admitted(): void;
  /** Whether the connection ends with the stream. */
  failed(): boolean;
}

function calledSide(http2: ServerHttp2Stream, owner: SideOwner): GrpcSide {
  let trailers: Record<string, string> = { 'grpc-status': String(GRPC_STATUS.ok) };
  http2.once('wantTrailers', () => http2.sendTrailers(trailers));
  return {
    faultOfEnd: () => undefined,
    tell: (error) => {
      trailers = statusTrailers(error);
      http2.end();
      // Further data of a stranger is left unread: reading would let in more.
      if (owner.failed()) http2.pause();
      else linger(http2);
    },
    over: () => owner.over(),
    admitted: () => owner.admitted(),
  };
}

/** Time for the other end to read the reason. An immediate reset would overtake it. */
const LINGER_MS = 5_000;
const STRANGER_LINGER_MS = 100;

/** Reads and discards further data for a while. */
function linger(http2: ServerHttp2Stream): void {
  http2.on('data', () => {}).resume();
  const timer = setTimeout(() => http2.close(constants.NGHTTP2_NO_ERROR), LINGER_MS).unref();
  http2.once('close', () => clearTimeout(timer));
}

const NOBODY: StreamHandlers = { frame: () => {}, room: () => {}, closed: () => {} };

/** Response headers that refuse a call which is not for this server. */
function refusalOf(headers: IncomingHttpHeaders, path: string): Record<string, string | number> | undefined {
  if (headers[':method'] !== 'POST') return { ':status': 405, allow: 'POST' };
  if (headers['content-type']?.startsWith('application/grpc') !== true) return { ':status': 415 };
  if (headers[':path'] === path) return undefined;
  const status = { 'grpc-status': String(GRPC_STATUS.unimplemented), 'grpc-message': 'there is no such method' };
  return { ':status': 200, 'content-type': CONTENT_TYPE, ...status };
}
