import type { Peer, Stream, StreamHandlers } from '../transport.ts';
import { TransportError } from '../transport-error.ts';

interface MemoryEndOptions {
  readonly peer: Peer;
  readonly maxFrameBytes: number;
  /** Called after the owner was notified. */
  readonly over: () => void;
}

const HIGH_MARK = 256 * 1024;
const LOW_MARK = 64 * 1024;
/** Accounts for empty frames. */
const FRAME_COST = 5;

/** One end of a stream within a process. Sent frames wait at the other end until they are read. */
export class MemoryEnd implements Stream {
  readonly peer: Peer;
  readonly #options: MemoryEndOptions;
  #other: MemoryEnd | undefined;
  #handlers: StreamHandlers | undefined;
  #inbox: Uint8Array[] = [];
  #inboxBytes = 0;
  #isPaused = false;
  #isScheduled = false;
  #hasEnded = false;
  #otherHasEnded = false;
  /** The other end was told to stop sending. */
  #otherIsHeld = false;
  #isOver = false;

  constructor(options: MemoryEndOptions) {
    this.#options = options;
    this.peer = options.peer;
  }

  join(other: MemoryEnd): void {
    this.#other = other;
  }

  /** Events are reported from now on. */
  handTo(handlers: StreamHandlers): void {
    this.#handlers = handlers;
    this.#schedule();
  }

  send(frame: Uint8Array): boolean {
    if (this.#hasEnded || this.#isOver) return true;
    // A copy, as over a network: the receiver may modify it.
    return this.#other?.receive(new Uint8Array(frame)) ?? true;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
  }

  end(): void {
    if (this.#hasEnded || this.#isOver) return;
    this.#hasEnded = true;
    this.#other?.hearEnd();
  }

  destroy(): void {
    this.#other?.over(new TransportError('CONNECTION_LOST', 'the other end has destroyed the stream'));
    this.over(new TransportError('CONNECTION_LOST', 'the stream was destroyed at this end'));
  }

  /** The other end violates the protocol. */
  fail(error: TransportError): void {
    this.#other?.over(error);
    this.over(error);
  }

  receive(frame: Uint8Array): boolean {
    this.#inbox.push(frame);
    this.#inboxBytes += FRAME_COST + frame.length;
    this.#schedule();
    if (this.#inboxBytes >= HIGH_MARK) this.#otherIsHeld = true;
    return !this.#otherIsHeld;
  }

  hearEnd(): void {
    this.#otherHasEnded = true;
    this.#schedule();
  }

  over(error: TransportError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#inbox = [];
    setImmediate(() => {
      this.#handlers?.closed(error);
      this.#options.over();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isOver || this.#handlers === undefined) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#deliver(this.#handlers);
    });
  }

  #deliver(handlers: StreamHandlers | undefined): void {
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
      if (frame.length > this.#options.maxFrameBytes) {
        const message = `read a frame of ${frame.length} bytes: the limit is ${this.#options.maxFrameBytes}`;
        this.fail(new TransportError('FRAME_TOO_LARGE', message));
        return;
      }
      handlers?.frame(frame);
    }
    this.#letGo();
    if (!this.#otherHasEnded || this.#isPaused || this.#isOver) return;
    this.end();
    this.over(undefined);
  }

  #next(): Uint8Array | undefined {
    if (this.#isPaused || this.#isOver) return undefined;
    const frame = this.#inbox.shift();
    if (frame !== undefined) this.#inboxBytes -= FRAME_COST + frame.length;
    return frame;
  }

  #letGo(): void {
    if (!this.#otherIsHeld || this.#inboxBytes > LOW_MARK) return;
    this.#otherIsHeld = false;
    this.#other?.hearRoom();
  }

  hearRoom(): void {
    if (!this.#isOver) this.#handlers?.room();
  }
}
