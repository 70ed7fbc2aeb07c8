import { CHUNK_BYTES, type CloseFrame, type Frame } from '../domain/frame.ts';
import type { FrameLink, LinkHandlers } from './link.ts';

/** Bytes in both directions for as long as a connection lasts. Nothing is stored, and nothing is resent. */
export interface ByteStream {
  /** The data is accepted in any case. `false`: write no more until `room`. */
  write(data: Uint8Array): boolean;
  /** Ends this direction. Everything written before is still delivered. */
  end(): void;
  /** Undelivered data may be lost. The other end receives the reason, if there is one. */
  destroy(why?: string): void;
  /** Stops `data`, and through backpressure the sender. */
  pause(): void;
  resume(): void;
}

export interface ByteHandlers {
  data(data: Uint8Array): void;
  room(): void;
  /** The other end has finished sending; this end may continue. */
  ended(): void;
  /** Called once, as the last event. `why` is set unless both ends had ended. */
  closed(why: string | undefined): void;
}

/** Bytes over an open stream: `opened` was already sent, by this end or by the other. */
export class LinkedBytes implements ByteStream, LinkHandlers {
  readonly #link: FrameLink;
  readonly #handlers: ByteHandlers;
  #ended = false;
  #otherEnded = false;
  #over = false;

  constructor(link: FrameLink, handlers: ByteHandlers) {
    this.#link = link;
    this.#handlers = handlers;
  }

  write(data: Uint8Array): boolean {
    if (this.#ended || this.#over) return true;
    let room = true;
    for (let at = 0; at < data.length; at += CHUNK_BYTES) {
      room = this.#link.send({ kind: 'bytes', data: data.subarray(at, at + CHUNK_BYTES), end: false });
    }
    return room;
  }

  end(): void {
    if (this.#ended || this.#over) return;
    this.#ended = true;
    this.#link.send({ kind: 'bytes', data: NOTHING, end: true });
    this.#endOfBoth();
  }

  destroy(why?: string): void {
    if (this.#over) return;
    if (why === undefined) this.#link.destroy();
    else this.#link.close({ reason: 'unavailable', message: why, retryAfterMs: 0 });
    this.#finish(why ?? 'the stream was destroyed by this end');
  }

  pause(): void {
    this.#link.pause();
  }

  resume(): void {
    this.#link.resume();
  }

  frame(frame: Frame): void {
    if (this.#over || frame.kind === 'pong') return;
    if (frame.kind !== 'bytes' || this.#otherEnded) {
      this.destroy(`${frame.kind} is not expected here`);
      return;
    }
    if (frame.data.length > 0) this.#handlers.data(frame.data);
    if (!frame.end || this.#over) return;
    this.#otherEnded = true;
    this.#handlers.ended();
    this.#endOfBoth();
  }

  room(): void {
    if (!this.#over) this.#handlers.room();
  }

  closed(why: Omit<CloseFrame, 'kind'> | undefined): void {
    const done = this.#ended && this.#otherEnded;
    this.#finish(done ? undefined : why?.message || why?.reason || 'the connection was lost');
  }

  /** Both ends send `close`; the second one is ignored. */
  #endOfBoth(): void {
    if (!this.#ended || !this.#otherEnded || this.#over) return;
    this.#link.close({ reason: 'done', message: '', retryAfterMs: 0 });
    this.#finish(undefined);
  }

  #finish(why: string | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#handlers.closed(why);
  }
}

const NOTHING = new Uint8Array(0);
