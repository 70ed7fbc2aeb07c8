import type { CloseFrame, CloseReason, Frame, OpenFrame } from '../domain/frame.ts';
import type { LinkedChannel } from './channel.ts';
import { LEAD_CHANNEL } from './heartbeat.ts';
import type { FrameLink, LinkHandlers } from './link.ts';

export type Why = Omit<CloseFrame, 'kind'>;

export type Admission =
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string; readonly retryAfterMs?: number }
  /** The owner keeps the channel, so that a process that reconnects finds the same one. */
  | {
      readonly kind: 'channel';
      readonly channel: LinkedChannel;
      /** Called once, when this stream has ended; not when another stream has replaced it. */
      readonly detached?: (why: Why | undefined) => void;
    }
  /** Bytes and relays: `take` sends `opened` itself, with this version. Pings are still answered here. */
  | { readonly kind: 'raw'; readonly take: (link: FrameLink, open: OpenFrame, version: number) => LinkHandlers };

/** The keeper of all streams: the acceptor. */
export interface StreamOwner {
  /** The first frame has arrived. */
  opening(stream: AcceptedStream, open: OpenFrame): void;
  /** The request in the first frame was granted. */
  admitted(stream: AcceptedStream): void;
  attach(stream: AcceptedStream, open: OpenFrame, channel: LinkedChannel): void;
  isAttached(stream: AcceptedStream, channel: LinkedChannel): boolean;
  /** False when another stream has the channel. */
  detach(stream: AcceptedStream, channel: LinkedChannel): boolean;
  malformed(stream: AcceptedStream, message: string): void;
  /** The stream no longer counts here; the other end may not know yet. */
  ended(stream: AcceptedStream): void;
  /** The other end knows that the stream has ended. */
  forget(stream: AcceptedStream): void;
}

/** One stream opened by the other end, from its first frame to its end. */
export class AcceptedStream implements LinkHandlers {
  readonly #owner: StreamOwner;
  readonly link: FrameLink;
  readonly since: number;
  open: OpenFrame | undefined;
  version = 0;
  #admission: Exclude<Admission, { kind: 'refused' }> | undefined;
  #raw: LinkHandlers | undefined;
  /** Set while admission is pending. */
  #abort: AbortController | undefined;
  #over = false;
  #beats = false;
  #heard = true;
  #missed = 0;

  constructor(owner: StreamOwner, link: FrameLink, since: number) {
    this.#owner = owner;
    this.link = link;
    this.since = since;
  }

  begins(open: OpenFrame, version: number): AbortSignal {
    this.open = open;
    this.version = version;
    this.#beats ||= open.channel === LEAD_CHANNEL;
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  take(admission: Admission): void {
    const { open } = this;
    this.#abort = undefined;
    if (this.#over || !open) {
      if (admission.kind === 'channel') admission.detached?.(undefined);
      return;
    }
    if (admission.kind === 'refused') {
      this.refuse(admission.reason, admission.message, admission.retryAfterMs);
      return;
    }
    this.#admission = admission;
    this.#owner.admitted(this);
    if (admission.kind === 'raw') this.#raw = admission.take(this.link, open, this.version);
    else this.#owner.attach(this, open, admission.channel);
  }

  refuse(reason: CloseReason, message: string, retryAfterMs = 0): void {
    this.close({ reason, message, retryAfterMs });
  }

  close(why: Why): void {
    this.link.close(why);
    this.#end(undefined);
  }

  /** Called once for each heartbeat that was due. */
  missedBeats(): number {
    this.#missed = this.#beats && !this.#heard ? this.#missed + 1 : 0;
    this.#heard = false;
    return this.#missed;
  }

  frame(frame: Frame): void {
    if (this.#over) return;
    this.#heard = true;
    if (frame.kind === 'ping') {
      this.#beats = true;
      this.link.send({ kind: 'pong', nonce: frame.nonce });
    } else if (this.#raw) this.#raw.frame(frame);
    else if (this.#admission?.kind === 'channel') this.#channelFrame(this.#admission.channel, frame);
    else if (frame.kind === 'open' && !this.open) this.#owner.opening(this, frame);
    else this.#unexpected(frame);
  }

  room(): void {
    if (this.#raw) this.#raw.room();
    else if (this.#admission?.kind === 'channel' && this.#owner.isAttached(this, this.#admission.channel)) {
      this.#admission.channel.hasRoom();
    }
  }

  closed(why: Why | undefined): void {
    this.#end(why);
    this.#owner.forget(this);
  }

  malformed(message: string): void {
    this.#owner.malformed(this, message);
  }

  #channelFrame(channel: LinkedChannel, frame: Frame): void {
    switch (frame.kind) {
      case 'message':
      case 'chunk':
      case 'ack':
        if (this.#owner.isAttached(this, channel)) channel.frame(frame);
        return;
      case 'pong':
        return;
      case 'open':
      case 'opened':
      case 'bytes':
      case 'resumed':
      case 'close':
      case 'ping':
        this.#unexpected(frame);
    }
  }

  #unexpected(frame: Frame): void {
    const message = `${frame.kind} is not expected here`;
    this.#owner.malformed(this, message);
    this.refuse('malformed', message);
  }

  /** The stream no longer counts, though the other end may take a while to learn of it. */
  #end(why: Why | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#owner.ended(this);
    this.#abort?.abort();
    this.#raw?.closed(why);
    const admission = this.#admission;
    if (admission?.kind !== 'channel') return;
    if (this.#owner.detach(this, admission.channel)) admission.detached?.(why);
  }
}
