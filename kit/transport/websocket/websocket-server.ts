import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer as WsServer } from 'ws';
import { headersOf, peerOfSocket } from '../peer-of-socket.ts';
import { type AcceptStream, DEFAULT_MAX_FRAME_BYTES, FIRST_FRAME_BYTES, type TransportServer } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { WebSocketStream } from './websocket-stream.ts';

export interface WebSocketServerOptions {
  readonly path: string;
  /** The subprotocol that clients have to request. */
  readonly protocol: string;
  readonly accept: AcceptStream;
  /** Receives errors thrown by `accept`. */
  readonly onThrow?: (error: unknown) => void;
  /** Larger frames are refused. Default 4 MiB. */
  readonly maxFrameBytes?: number;
  /** Further streams are refused. Default 10,000. */
  readonly maxStreams?: number;
}

export interface WebSocketServer extends TransportServer {
  /**
   * For the `upgrade` event of any number of HTTP servers. False when the request is not for this server; then the socket is
   * untouched. `admitted` is called when the caller is authenticated.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, admitted?: () => void): boolean;
}

/** Serves streams of frames as WebSockets, one each. */
export function createWebSocketServer(options: WebSocketServerOptions): WebSocketServer {
  const { path, protocol, maxFrameBytes = DEFAULT_MAX_FRAME_BYTES, maxStreams = 10_000 } = options;
  const server = new WsServer({
    noServer: true,
    // Frames are small and many, or already compressed: compression would cost more than it saves.
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    handleProtocols: () => protocol,
  });
  let isListening = true;
  const upgrade: WebSocketServer['upgrade'] = (request, socket, head, admitted = () => {}) => {
    if (request.url?.split('?')[0] !== path) return false;
    // Until a WebSocket owns the socket there is no other error listener.
    socket.once('error', () => {});
    const asked = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
    if (!isListening || server.clients.size >= maxStreams) refuse(socket, '503 Service Unavailable');
    else if (!asked.includes(protocol)) refuse(socket, '400 Bad Request');
    else
      server.handleUpgrade(request, socket, head, (webSocket) =>
        take(webSocket, { request, socket, admitted, options }),
      );
    return true;
  };
  const stopListening = async (): Promise<void> => {
    isListening = false;
  };
  const close = async (): Promise<void> => {
    isListening = false;
    const gone = Array.from(server.clients, (client) => new Promise((resolve) => client.once('close', resolve)));
    for (const client of server.clients) client.terminate();
    await Promise.all(gone);
  };
  return { upgrade, stopListening, close };
}

interface Upgraded {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly admitted: () => void;
  readonly options: WebSocketServerOptions;
}

function take(webSocket: WebSocket, { request, socket, admitted, options }: Upgraded): void {
  // Node types it as Duplex, because others may emit the event; its own servers pass a socket.
  const peer = peerOfSocket(socket as Socket, headersOf(request.headers));
  const stream = new WebSocketStream(peer, () => {});
  stream.attach(webSocket, socket);
  stream.limitUntilAdmitted(socket, FIRST_FRAME_BYTES, admitted);
  try {
    stream.handTo(options.accept(stream));
  } catch (error) {
    options.onThrow?.(error);
    stream.fail(error instanceof TransportError ? error : new TransportError('REFUSED', 'the call was not accepted'));
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
