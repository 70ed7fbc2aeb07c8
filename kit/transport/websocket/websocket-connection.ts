import type { Socket } from 'node:net';
import { connectionLost } from '../connection-lost.ts';
import { deadStream } from '../dead-stream.ts';
import { peerOfSocket } from '../peer-of-socket.ts';
import type { Connection, Headers, Peer, Stream, StreamHandlers } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import type { Upgrade } from './upgrade-socket.ts';
import { WebSocketStream } from './websocket-stream.ts';

interface WebSocketConnectionDeps {
  /** For the first stream. */
  readonly first: Socket;
  /** For each further stream. */
  readonly dial: (signal: AbortSignal) => Promise<Socket>;
  readonly upgrade: (socket: Socket, upgrade: Upgrade) => Promise<void>;
  readonly pingMs: number;
}

/**
 * Several sockets that act as one connection. It is over when its last stream is lost, or when it is closed. A stream that is
 * lost while there are others ends alone.
 */
export class WebSocketConnection implements Connection {
  readonly closed: Promise<TransportError | undefined>;
  readonly #deps: WebSocketConnectionDeps;
  readonly #peer: Peer;
  readonly #over = Promise.withResolvers<TransportError | undefined>();
  readonly #stop = new AbortController();
  readonly #streams = new Set<WebSocketStream>();
  readonly #pings: NodeJS.Timeout;
  /** The first socket, until a stream uses it. */
  #unused: Socket | undefined;
  #end: { readonly fault: TransportError | undefined } | undefined;

  constructor(deps: WebSocketConnectionDeps) {
    this.#deps = deps;
    this.closed = this.#over.promise;
    this.#peer = peerOfSocket(deps.first, {});
    this.#unused = deps.first;
    deps.first.on('error', () => {});
    deps.first.once('close', () => {
      if (this.#unused) this.#go(connectionLost());
    });
    this.#pings = setInterval(() => {
      for (const stream of this.#streams) stream.ping();
    }, deps.pingMs).unref();
  }

  open(handlers: StreamHandlers, headers: Headers = {}): Stream {
    if (this.#end) return deadStream(this.#peer, handlers, connectionLost());
    const stream = new WebSocketStream(this.#peer, (error, isLost) => {
      this.#streams.delete(stream);
      if (isLost && this.#streams.size === 0) this.#go(error);
      this.#settle();
    });
    this.#streams.add(stream);
    stream.handTo(handlers);
    this.#begin(stream, headers).catch((error: unknown) => {
      stream.over(error instanceof TransportError ? error : connectionLost(error), true);
    });
    return stream;
  }

  async close(): Promise<void> {
    this.#go(undefined);
    await this.closed;
  }

  async #begin(stream: WebSocketStream, headers: Headers): Promise<void> {
    const { signal } = this.#stop;
    const unused = this.#unused;
    this.#unused = undefined;
    const socket = unused ?? (await this.#deps.dial(signal));
    await this.#deps.upgrade(socket, {
      headers,
      signal,
      opened: (webSocket) => stream.attach(webSocket, socket),
    });
  }

  #go(fault: TransportError | undefined): void {
    if (this.#end) return;
    this.#end = { fault };
    clearInterval(this.#pings);
    this.#unused?.destroy();
    this.#stop.abort();
    for (const stream of this.#streams) stream.destroy();
    this.#settle();
  }

  #settle(): void {
    if (this.#end && this.#streams.size === 0) this.#over.resolve(this.#end.fault);
  }
}
