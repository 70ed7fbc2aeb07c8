import {
  type CloseFrame,
  type Frame,
  OLDEST_PROTOCOL_VERSION,
  type OpenFrame,
  PROTOCOL_VERSION,
} from '../domain/frame.ts';
import { type ByteHandlers, type ByteStream, LinkedBytes } from './byte-stream.ts';
import type { FrameLink, LinkConnection, LinkHandlers } from './link.ts';
import type { UplinkConnection, UplinkStream } from './uplink-connection.ts';

type Opens = Pick<OpenFrame, 'session' | 'channel' | 'target' | 'process' | 'stream' | 'ticket' | 'reads'>;

/**
 * Bytes over a connection that may not be up yet. Until the other end has opened the stream, writes are queued and return
 * false.
 */
export class UplinkBytes implements ByteStream, LinkHandlers, UplinkStream {
  readonly #connection: UplinkConnection;
  readonly #opens: Opens;
  readonly #handlers: ByteHandlers;
  readonly #waiting: Uint8Array[] = [];
  readonly isLead = false;
  #link: FrameLink | undefined;
  #bytes: LinkedBytes | undefined;
  #paused = false;
  #ended = false;
  #over = false;
  #until = Number.POSITIVE_INFINITY;

  constructor(connection: UplinkConnection, opens: Opens, handlers: ByteHandlers) {
    this.#connection = connection;
    this.#opens = opens;
    this.#handlers = handlers;
  }

  write(data: Uint8Array): boolean {
    if (this.#bytes) return this.#bytes.write(data);
    if (!this.#over && !this.#ended) this.#waiting.push(data);
    return false;
  }

  end(): void {
    this.#ended = true;
    this.#bytes?.end();
  }

  destroy(why?: string): void {
    if (this.#bytes) this.#bytes.destroy(why);
    else this.#link?.destroy();
    this.#finish(why ?? 'the stream was destroyed by this end');
  }

  pause(): void {
    this.#paused = true;
    // Pausing earlier would block the `opened` frame that it waits for.
    this.#bytes?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#bytes?.resume();
  }

  connected(connection: LinkConnection): void {
    const none = { incarnation: '', ofIncarnation: undefined, receivedUpTo: 0, receivedAbove: [], unacknowledged: [] };
    this.#link = connection.open(this);
    this.#until = this.#connection.clock.now() + this.#connection.pace.openWithinMs;
    this.#link.send({
      kind: 'open',
      version: PROTOCOL_VERSION,
      oldestVersion: OLDEST_PROTOCOL_VERSION,
      ...this.#opens,
      mode: 'bytes',
      shard: 0,
      shards: 1,
      memory: none,
      window: { messages: 1, bytes: 1 },
    });
  }

  lost(why: string): void {
    this.#finish(why);
  }

  tend(now: number): number {
    if (this.#bytes || now < this.#until) return this.#bytes ? Number.POSITIVE_INFINITY : this.#until;
    this.destroy('the stream was not opened in time');
    return Number.POSITIVE_INFINITY;
  }

  /** A paused stream would never answer. */
  ping(): boolean {
    return false;
  }

  frame(frame: Frame): void {
    if (this.#over) return;
    this.#connection.heartbeat.heard = true;
    if (this.#bytes) this.#bytes.frame(frame);
    else if (frame.kind === 'opened' && this.#link) this.#opened(this.#link);
    else if (frame.kind !== 'pong') this.destroy(`${frame.kind} is not expected here`);
  }

  room(): void {
    this.#bytes?.room();
  }

  closed(why: Omit<CloseFrame, 'kind'> | undefined): void {
    if (this.#bytes) return this.#bytes.closed(why);
    if (why && !this.#over) this.#connection.turnedAway(why);
    this.#finish(why ? why.message || why.reason : 'the connection was lost');
  }

  malformed(message: string): void {
    this.#connection.malformed(message);
  }

  #opened(link: FrameLink): void {
    const bytes = new LinkedBytes(link, {
      data: (data) => this.#handlers.data(data),
      room: () => this.#handlers.room(),
      ended: () => this.#handlers.ended(),
      closed: (why) => this.#finish(why),
    });
    this.#bytes = bytes;
    this.#connection.opened();
    if (this.#paused) bytes.pause();
    let room = true;
    for (const data of this.#waiting.splice(0)) room = bytes.write(data);
    if (this.#ended) bytes.end();
    else if (room) this.#handlers.room();
  }

  #finish(why: string | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#waiting.length = 0;
    this.#connection.remove(this);
    this.#handlers.closed(why);
  }
}
