import type { CloseFrame, CloseReason, Frame, OpenFrame } from '../domain/frame.ts';
import type { LinkedChannel } from './channel.ts';
import { LEAD_CHANNEL } from './heartbeat.ts';
import type { FrameLink, LinkHandlers } from './link.ts';

export type Why = Omit<CloseFrame, 'kind'>;

export type Admission =
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string; readonly retryAfterMs?: number }
  /** The owner keeps the channel, so that one who comes again finds the same. */
  | {
      readonly kind: 'channel';
      readonly channel: LinkedChannel;
      /** Once, when that stream is over; not when another one has taken its place. */
      readonly detached?: (why: Why | undefined) => void;
    }
  /** Bytes and relays: the taker sends `opened` itself, with this version. Pings are answered all the same. */
  | { readonly kind: 'raw'; readonly take: (link: FrameLink, open: OpenFrame, version: number) => LinkHandlers };

/** Whoever keeps all streams. */
export interface StreamOwner {
  /** The first frame has come. */
  opening(stream: AcceptedStream, open: OpenFrame): void;
  /** What the first frame asked for was granted. */
  admitted(stream: AcceptedStream): void;
  attach(stream: AcceptedStream, open: OpenFrame, channel: LinkedChannel): void;
  isAttached(stream: AcceptedStream, channel: LinkedChannel): boolean;
  /** False when another stream has the channel. */
  detach(stream: AcceptedStream, channel: LinkedChannel): boolean;
  malformed(stream: AcceptedStream, message: string): void;
  /** Nothing of it counts any more here; the other end may not have heard of that. */
  ended(stream: AcceptedStream): void;
  /** The other end has heard of its end. */
  forget(stream: AcceptedStream): void;
}

/** One stream that another has opened, from its first frame to its end. */
export class AcceptedStream implements LinkHandlers {
  readonly #owner: StreamOwner;
  readonly link: FrameLink;
  readonly since: number;
  open: OpenFrame | undefined;
  version = 0;
  #admission: Exclude<Admission, { kind: 'refused' }> | undefined;
  #raw: LinkHandlers | undefined;
  /** While it is being admitted. */
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

  /** Called once for each beat that was due. */
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

  /** Nothing of it counts any more, though it may take a while until the other end has heard of that. */
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
