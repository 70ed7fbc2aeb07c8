import { constants, type Http2Stream } from 'node:http2';
import type { Peer, Stream, StreamHandlers } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { FrameReader } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import { errorOfReset } from './grpc-status.ts';
import { SHORT_SETTINGS } from './http2-settings.ts';

export interface GrpcStreamOptions {
  readonly http2: Http2Stream;
  readonly peer: Peer;
  readonly maxFrameBytes: number;
  /** Limit until the stream is admitted; default: the same as afterwards. */
  readonly firstFrameBytes?: number;
  readonly side: GrpcSide;
}

/** The differences between client and server. */
export interface GrpcSide {
  /** Called when the other end has ended; returns a fault if it ended with an error. */
  faultOfEnd(): TransportError | undefined;
  /** Tells the other end why the stream is over. */
  tell(error: TransportError): void;
  /** Called after the owner was notified. */
  over(): void;
  admitted?(): void;
}

export class GrpcStream implements Stream {
  readonly peer: Peer;
  readonly #http2: Http2Stream;
  readonly #side: GrpcSide;
  readonly #reader: FrameReader;
  readonly #maxFrameBytes: number;
  readonly #writer: FrameWriter;
  #handlers: StreamHandlers | undefined;
  #isPaused = false;
  #hasEnded = false;
  #otherHasEnded = false;
  /** No events are reported after this. */
  #isOver = false;

  constructor({ http2, peer, maxFrameBytes, firstFrameBytes = maxFrameBytes, side }: GrpcStreamOptions) {
    this.peer = peer;
    this.#http2 = http2;
    this.#side = side;
    this.#maxFrameBytes = maxFrameBytes;
    this.#reader = new FrameReader(Math.min(firstFrameBytes, maxFrameBytes));
    this.#writer = new FrameWriter(http2, () => {
      if (!this.#isOver) this.#handlers?.room();
    });
    // The cause is known at `close`, which follows.
    http2.on('error', () => {});
  }

  /** Events are reported from now on. */
  handTo(handlers: StreamHandlers): void {
    this.#handlers = handlers;
    this.#http2.on('data', (chunk: Buffer) => {
      if (this.#isOver) return;
      this.#reader.push(chunk);
      this.#deliver();
    });
    this.#http2.on('end', () => {
      // Node also emits `end` for a stream that was cut; `close` follows and tells them apart.
      if (this.#isCut()) return;
      this.#otherHasEnded = true;
      this.#deliver();
    });
    this.#http2.on('close', () => this.#closed());
  }

  send(frame: Uint8Array): boolean {
    return this.#writer.send(frame);
  }

  pause(): void {
    this.#isPaused = true;
    this.#http2.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    process.nextTick(() => {
      this.#deliver();
      if (!this.#isPaused) this.#http2.resume();
    });
  }

  end(): void {
    this.#hasEnded = true;
    this.#writer.end();
  }

  admit(): void {
    this.#reader.maxFrameBytes = this.#maxFrameBytes;
    this.#side.admitted?.();
  }

  keepShort(): void {
    const { session } = this.#http2;
    if (session?.destroyed === false) session.settings(SHORT_SETTINGS);
  }

  destroy(): void {
    if (this.#isOver) return;
    reset(this.#http2, constants.NGHTTP2_CANCEL);
    this.#over(new TransportError('CONNECTION_LOST', 'the stream was destroyed at this end'));
  }

  /** The connection is gone. Unread frames are dropped: `Connection.closed` would otherwise wait for the reader. */
  lose(error: TransportError): void {
    if (this.#isOver) return;
    const isInOrder = this.#otherHasEnded && this.#reader.isEmpty && !this.#wasReset();
    this.#over(isInOrder ? undefined : error);
  }

  /** The other end violates the protocol. */
  fail(error: TransportError): void {
    if (this.#isOver) return;
    this.#writer.drop();
    this.#side.tell(error);
    this.#over(error);
  }

  #deliver(): void {
    try {
      while (!this.#isPaused && !this.#isOver) {
        const frame = this.#reader.next();
        if (frame === undefined) break;
        this.#handlers?.frame(frame);
      }
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      this.fail(error);
      return;
    }
    if (this.#otherHasEnded && !this.#isPaused && !this.#isOver) this.#afterTheLast();
  }

  #afterTheLast(): void {
    const cutShort = this.#reader.isEmpty ? undefined : new TransportError('BAD_FRAME', 'the last frame is not whole');
    const fault = this.#side.faultOfEnd() ?? cutShort;
    if (fault !== undefined) this.fail(fault);
    else if (this.#http2.closed) this.#over(undefined);
    else this.end();
  }

  #closed(): void {
    if (this.#isOver) return this.#discard();
    if (!this.#otherHasEnded || this.#wasReset()) this.#over(this.#faultOfClose());
    // Unread frames wait until the stream is resumed.
    else if (!this.#isPaused) this.#over(undefined);
  }

  #faultOfClose(): TransportError | undefined {
    // A client is done with the stream once it has received the end, and most gRPC clients then reset it.
    if (this.#hasEnded && !this.#isCut()) return this.#side.faultOfEnd();
    return errorOfReset(this.#http2.rstCode ?? constants.NGHTTP2_CANCEL);
  }

  #isCut(): boolean {
    return this.#http2.session?.destroyed !== false || this.#wasReset();
  }

  #wasReset(): boolean {
    return (this.#http2.rstCode ?? constants.NGHTTP2_NO_ERROR) !== constants.NGHTTP2_NO_ERROR;
  }

  /**
   * Drops what was received and never read. Native handles keep the stream until a full garbage collection, and it would
   * keep these buffers.
   */
  #discard(): void {
    while (this.#http2.read() !== null);
  }

  #over(error: TransportError | undefined): void {
    this.#isOver = true;
    this.#writer.drop();
    this.#reader.drop();
    if (this.#http2.closed) this.#discard();
    // Deferred, so that it never runs within a call of the owner.
    process.nextTick(() => {
      this.#handlers?.closed(error);
      this.#side.over();
    });
  }
}

/**
 * Node ends a stream gracefully before it resets it, which the other end could take for an orderly end. So the end is
 * suppressed.
 */
export function reset(http2: Http2Stream, code: number): void {
  http2._final = (done) => done();
  http2.close(code);
}
