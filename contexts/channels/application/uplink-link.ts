import type { CloseFrame, Frame } from '../domain/frame.ts';
import type { FrameLink, LinkConnection, LinkHandlers, LinkPeer } from './link.ts';
import type { UplinkConnection, UplinkStream } from './uplink-connection.ts';

/** A stream whose frames, including the first, are written by its owner, over a connection that may not be up yet. */
export class UplinkLink implements FrameLink, LinkHandlers, UplinkStream {
  readonly #connection: UplinkConnection;
  readonly #handlers: LinkHandlers;
  readonly #waiting: Frame[] = [];
  readonly isLead = false;
  #link: FrameLink | undefined;
  #over = false;

  constructor(connection: UplinkConnection, handlers: LinkHandlers) {
    this.#connection = connection;
    this.#handlers = handlers;
  }

  get peer(): LinkPeer {
    return this.#link?.peer ?? NOBODY;
  }

  send(frame: Frame): boolean {
    if (this.#link) return this.#link.send(frame);
    // The owner sends the first frame and waits for an answer.
    if (!this.#over) this.#waiting.push(frame);
    return false;
  }

  pause(): void {
    this.#link?.pause();
  }

  resume(): void {
    this.#link?.resume();
  }

  close(why: Omit<CloseFrame, 'kind'>): void {
    if (this.#link) this.#link.close(why);
    else this.destroy();
  }

  destroy(): void {
    if (this.#link) this.#link.destroy();
    else this.#finish(undefined);
  }

  connected(connection: LinkConnection): void {
    this.#link = connection.open(this);
    for (const frame of this.#waiting.splice(0)) this.#link.send(frame);
  }

  lost(): void {
    this.#finish(undefined);
  }

  /** The owner has its own deadline. */
  tend(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** A peer further on may have paused it, and then it would never answer. */
  ping(): boolean {
    return false;
  }

  frame(frame: Frame): void {
    this.#connection.heartbeat.heard = true;
    if (frame.kind === 'opened') this.#connection.opened();
    if (!this.#over) this.#handlers.frame(frame);
  }

  room(): void {
    if (!this.#over) this.#handlers.room();
  }

  closed(why: Omit<CloseFrame, 'kind'> | undefined): void {
    if (why && !this.#over) this.#connection.turnedAway(why);
    this.#finish(why);
  }

  malformed(message: string): void {
    this.#connection.malformed(message);
  }

  #finish(why: Omit<CloseFrame, 'kind'> | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#waiting.length = 0;
    this.#connection.remove(this);
    this.#handlers.closed(why);
  }
}

const NOBODY: LinkPeer = { address: '', headers: {}, certificate: undefined };
