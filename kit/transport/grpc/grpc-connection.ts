import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import type { Socket } from 'node:net';
import { connectionLost } from '../connection-lost.ts';
import { deadStream } from '../dead-stream.ts';
import { peerOfSocket } from '../peer-of-socket.ts';
import type { Connection, Headers, Peer, Stream, StreamHandlers } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { errorOfStatus, resetOf } from './grpc-status.ts';
import { type GrpcSide, GrpcStream, reset } from './grpc-stream.ts';
import { CONTENT_TYPE } from './http2-settings.ts';

interface GrpcConnectionOptions {
  readonly session: ClientHttp2Session;
  /** The underlying socket. */
  readonly socket: Socket;
  readonly path: string;
  readonly maxFrameBytes: number;
}

/** A dialled connection. */
export class GrpcConnection implements Connection {
  readonly closed: Promise<TransportError | undefined>;
  readonly #options: GrpcConnectionOptions;
  readonly #peer: Peer;
  readonly #over = Promise.withResolvers<TransportError | undefined>();
  readonly #streams = new Set<GrpcStream>();
  #isClosing = false;
  #isGone = false;
  #cause: unknown;

  constructor(options: GrpcConnectionOptions) {
    this.#options = options;
    this.closed = this.#over.promise;
    const { session, socket } = options;
    this.#peer = peerOfSocket(socket, {});
    session.on('error', (error) => {
      this.#cause = error;
    });
    // DECISION: the socket decides when the connection is over, not the session. The session waits until everything is written,
    // which never happens on a stalled network.
    socket.once('close', () => this.#gone());
  }

  open(handlers: StreamHandlers, headers: Headers = {}): Stream {
    const { session, path, maxFrameBytes } = this.#options;
    let http2: ClientHttp2Stream;
    try {
      http2 = session.request({
        ...headers,
        ':method': 'POST',
        ':path': path,
        'content-type': CONTENT_TYPE,
        te: 'trailers',
      });
    } catch (error) {
      return deadStream(this.#peer, handlers, connectionLost(error));
    }
    const side = callingSide(http2, () => {
      this.#streams.delete(stream);
      this.#settle();
    });
    const stream = new GrpcStream({ http2, peer: this.#peer, maxFrameBytes, side });
    this.#streams.add(stream);
    stream.handTo(handlers);
    return stream;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    // Not the session, which would first end the streams gracefully.
    this.#options.socket.destroy();
    await this.closed;
  }

  #gone(): void {
    this.#isGone = true;
    for (const stream of this.#streams) stream.lose(connectionLost(this.#cause));
    this.#settle();
  }

  #settle(): void {
    if (!this.#isGone || this.#streams.size > 0) return;
    this.#over.resolve(this.#isClosing ? undefined : connectionLost(this.#cause));
  }
}

function callingSide(http2: ClientHttp2Stream, over: () => void): GrpcSide {
  let status: Status = {};
  // Without a body the status is in the headers.
  http2.once('response', (headers) => {
    status = headers;
  });
  http2.once('trailers', (trailers) => {
    status = { ...status, ...trailers };
  });
  return { faultOfEnd: () => faultOfStatus(status), tell: (error) => reset(http2, resetOf(error)), over };
}

type Status = IncomingHttpHeaders & IncomingHttpStatusHeader;

function faultOfStatus(status: Status): TransportError | undefined {
  if (status[':status'] === 200) return errorOfStatus(status['grpc-status'], status['grpc-message']);
  return new TransportError('REFUSED', `the call was answered with HTTP status ${status[':status']}`);
}
