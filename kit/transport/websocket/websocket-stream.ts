import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { connectionLost } from '../connection-lost.ts';
import type { Peer, Stream, StreamHandlers } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { CLOSE_CODE, closeOf, errorOfClose } from './close-code.ts';

/** Beyond that `send` says stop, and below the lower one it says go on. */
const HIGH_MARK = 256 * 1024;
const LOW_MARK = 64 * 1024;
/** A reason has to fit into a control frame. */
const REASON_LENGTH = 120;

/** Called after its owner was told that it is over. It is lost when the network is to blame. */
type Afterwards = (error: TransportError | undefined, isLost: boolean) => void;

/** A stream that has a WebSocket of its own, or will have one. */
export class WebSocketStream implements Stream {
  readonly peer: Peer;
  readonly #afterwards: Afterwards;
  #handlers: StreamHandlers | undefined;
  #webSocket: WebSocket | undefined;
  #socket: Duplex | undefined;
  /** Before the WebSocket is there. */
  #unsent: Uint8Array[] = [];
  #unsentBytes = 0;
  /** What came although it is paused: one read of the socket can bring many. */
  #unread: Uint8Array[] = [];
  #admitted = (): void => {};
  #isPaused = false;
  #isFull = false;
  #isCorked = false;
  #hasEnded = false;
  #end: { readonly error: TransportError | undefined; readonly isLost: boolean } | undefined;
  #cause: unknown;
  /** Nothing is told any more after that. */
  #isOver = false;

  constructor(peer: Peer, afterwards: Afterwards) {
    this.peer = peer;
    this.#afterwards = afterwards;
  }

  /** From now on what happens is told. */
  handTo(handlers: StreamHandlers): void {
    this.#handlers = handlers;
  }

  /** It is open, and `socket` is what it runs on. */
  attach(webSocket: WebSocket, socket: Duplex): void {
    // What it was is known when it is closed, which follows.
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

  /** More bytes than these are not taken before it is admitted, in one frame or in many. */
  limitUntilAdmitted(socket: Duplex, most: number, admitted: () => void): void {
    let read = 0;
    const count = (chunk: Buffer): void => {
      read += chunk.length;
      if (read <= most || this.#isOver) return;
      socket.off('data', count);
      this.fail(
        new TransportError('FRAME_TOO_LARGE', `take a frame: no more than ${most} bytes before it is admitted`),
      );
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

  /** Something is wrong with what the other end does. */
  fail(error: TransportError): void {
    this.#webSocket?.close(closeOf(error), error.message.slice(0, REASON_LENGTH));
    // Or one that is paused would never see the other end's answer.
    this.#webSocket?.resume();
    this.over(error);
  }

  over(error: TransportError | undefined, isLost = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    [this.#unsent, this.#unread] = [[], []];
    // Never from within a call of the one who is told.
    process.nextTick(() => {
      this.#handlers?.closed(error);
      this.#afterwards(error, isLost);
    });
  }

  /** Something that whoever stands between the ends notices, so that it does not forget the connection. */
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

  /** What is sent in one turn goes in one write. */
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
    if (!isBinary) this.fail(new TransportError('BAD_FRAME', 'take a message: it is text, and frames are bytes'));
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
      return new TransportError('FRAME_TOO_LARGE', 'take a frame: it is larger than those that are taken');
    }
    if (fault.startsWith('WS_ERR_')) {
      return new TransportError('BAD_FRAME', 'take a frame: the WebSocket is malformed', { cause: this.#cause });
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
