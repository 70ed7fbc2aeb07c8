import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { connectionLost } from '../connection-lost.ts';
import type { Peer, Stream, StreamHandlers } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { CLOSE_CODE, closeOf, errorOfClose } from './close-code.ts';

/** Above the high mark `send` returns false; below the low mark `room` is called. */
const HIGH_MARK = 256 * 1024;
const LOW_MARK = 64 * 1024;
/** A reason has to fit into a control frame. */
const REASON_LENGTH = 120;

/** Called after the owner was notified of the end. `isLost`: the network failed. */
type Afterwards = (error: TransportError | undefined, isLost: boolean) => void;

/** A stream with its own WebSocket, which may not be open yet. */
export class WebSocketStream implements Stream {
  readonly peer: Peer;
  readonly #afterwards: Afterwards;
  #handlers: StreamHandlers | undefined;
  #webSocket: WebSocket | undefined;
  #socket: Duplex | undefined;
  /** Frames sent before the WebSocket is open. */
  #unsent: Uint8Array[] = [];
  #unsentBytes = 0;
  /** Frames that arrived while paused: one read of the socket can bring many. */
  #unread: Uint8Array[] = [];
  #admitted = (): void => {};
  #isPaused = false;
  #isFull = false;
  #isCorked = false;
  #hasEnded = false;
  #end: { readonly error: TransportError | undefined; readonly isLost: boolean } | undefined;
  #cause: unknown;
  /** No events are reported after this. */
  #isOver = false;

  constructor(peer: Peer, afterwards: Afterwards) {
    this.peer = peer;
    this.#afterwards = afterwards;
  }

  /** Events are reported from now on. */
  handTo(handlers: StreamHandlers): void {
    this.#handlers = handlers;
  }

  /** The WebSocket is open, on this socket. */
  attach(webSocket: WebSocket, socket: Duplex): void {
    // The cause is known at `close`, which follows.
    webSocket.on('error', (error) => {
      this.#cause = error;
    });
    if (this.#isOver) {
      webSocket.terminate();
      return;
    }
    [this.#webSocket, this.#socket] = [webSocket, socket];
    webSocket.on('message', (data: Buffer, isBinary) => this.#received(data, isBinary));
    webSocket.on('close', (code, reason) => this.#closed(code, reason.toString()));
    if (this.#isPaused) webSocket.pause();
    for (const frame of this.#unsent) this.#write(webSocket, frame);
    this.#unsent = [];
    this.#unsentBytes = 0;
    if (this.#hasEnded) webSocket.close(CLOSE_CODE.normal);
  }

  /** Until it is admitted, at most this many bytes are accepted, in one frame or in many. */
  limitUntilAdmitted(socket: Duplex, most: number, admitted: () => void): void {
    let read = 0;
    const count = (chunk: Buffer): void => {
      read += chunk.length;
      if (read <= most || this.#isOver) return;
      socket.off('data', count);
      this.fail(new TransportError('FRAME_TOO_LARGE', `read a frame: more than ${most} bytes before admission`));
      this.#webSocket?.terminate();
    };
    socket.prependListener('data', count);
    this.#admitted = () => {
      socket.off('data', count);
      admitted();
    };
  }

  admit(): void {
    this.#admitted();
  }

  send(frame: Uint8Array): boolean {
    if (this.#hasEnded || this.#isOver) return true;
    if (this.#webSocket) this.#write(this.#webSocket, frame);
    else {
      this.#unsent.push(frame);
      this.#unsentBytes += frame.length;
    }
    if (this.#buffered() >= HIGH_MARK) this.#isFull = true;
    return !this.#isFull;
  }

  pause(): void {
    this.#isPaused = true;
    this.#webSocket?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    process.nextTick(() => {
      this.#deliver();
      if (!this.#isPaused) this.#webSocket?.resume();
    });
  }

  end(): void {
    this.#hasEnded = true;
    this.#webSocket?.close(CLOSE_CODE.normal);
  }

  destroy(): void {
    this.#webSocket?.terminate();
    this.over(new TransportError('CONNECTION_LOST', 'the stream was destroyed at this end'));
  }

  /** The other end violates the protocol. */
  fail(error: TransportError): void {
    this.#webSocket?.close(closeOf(error), error.message.slice(0, REASON_LENGTH));
    // A paused stream would never see the other end's answer.
    this.#webSocket?.resume();
    this.over(error);
  }

  over(error: TransportError | undefined, isLost = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    [this.#unsent, this.#unread] = [[], []];
    // Deferred, so that it never runs within a call of the owner.
    process.nextTick(() => {
      this.#handlers?.closed(error);
      this.#afterwards(error, isLost);
    });
  }

  /** Keeps middleboxes from dropping an idle connection. */
  ping(): void {
    this.#webSocket?.ping();
  }

  #write(webSocket: WebSocket, frame: Uint8Array): void {
    this.#cork();
    webSocket.send(frame, () => {
      if (!this.#isFull || this.#isOver || this.#buffered() > LOW_MARK) return;
      this.#isFull = false;
      this.#handlers?.room();
    });
  }

  /** Frames sent in one turn share one write. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket?.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket?.uncork();
    });
  }

  #buffered(): number {
    return this.#webSocket ? this.#webSocket.bufferedAmount : this.#unsentBytes;
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    if (!isBinary) this.fail(new TransportError('BAD_FRAME', 'read a message: it is text, not binary'));
    else if (this.#isPaused || this.#unread.length > 0) this.#unread.push(data);
    else this.#handlers?.frame(data);
  }

  #closed(code: number, reason: string): void {
    this.#end = { error: this.#errorOfClose(code, reason), isLost: code === CLOSE_CODE.abnormal };
    this.#deliver();
  }

  #errorOfClose(code: number, reason: string): TransportError | undefined {
    const fault = this.#cause instanceof Error && 'code' in this.#cause ? String(this.#cause.code) : '';
    if (fault === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      return new TransportError('FRAME_TOO_LARGE', 'read a frame: it exceeds the size limit');
    }
    if (fault.startsWith('WS_ERR_')) {
      return new TransportError('BAD_FRAME', 'read a frame: the WebSocket data is malformed', { cause: this.#cause });
    }
    return this.#cause === undefined ? errorOfClose(code, reason) : connectionLost(this.#cause);
  }

  #deliver(): void {
    while (!this.#isPaused && !this.#isOver) {
      const frame = this.#unread.shift();
      if (frame === undefined) break;
      this.#handlers?.frame(frame);
    }
    if (this.#end && (this.#end.error || !this.#isPaused)) this.over(this.#end.error, this.#end.isLost);
  }
}
