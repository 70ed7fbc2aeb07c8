import { type Clock, type Sleep, Wake } from '#kit/std';
import {
  type CloseFrame,
  type Frame,
  OLDEST_PROTOCOL_VERSION,
  type OpenFrame,
  PROTOCOL_VERSION,
} from '../../domain/frame.ts';
import type { LinkedChannel } from '../channel.ts';
import type { FrameLink, LinkHandlers } from '../link.ts';

type Why = Omit<CloseFrame, 'kind'>;

export interface DataStreamDeps {
  readonly channel: LinkedChannel;
  readonly open: (handlers: LinkHandlers) => FrameLink;
  readonly says: Pick<OpenFrame, 'session' | 'channel' | 'mode' | 'ticket'>;
  readonly opened: () => void;
  readonly openWithinMs: number;
  readonly beatMs: number;
  /** So many beats without a sign of life, and the way counts as blocked. */
  readonly silentBeats: number;
  /** Whoever is at the other end of the stream answers by itself, so that silence means something at any time. */
  readonly pings: boolean;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** `wasOpen`: the other end had taken it. */
export type StreamEnd = { readonly wasOpen: boolean } & (
  | { readonly kind: 'closed'; readonly why: Why }
  | { readonly kind: 'lost'; readonly why: string }
  /** It was ended here. */
  | { readonly kind: 'left' }
);

/** A channel on one stream of one of its ways, from the first frame until the way is of no use any more. */
export class DataStream implements LinkHandlers {
  readonly #deps: DataStreamDeps;
  readonly #wake: Wake;
  #link: FrameLink | undefined;
  #isOpen = false;
  #end: StreamEnd | undefined;
  #heard = true;
  #silent = 0;
  #nonce = 0;

  constructor(deps: DataStreamDeps) {
    this.#deps = deps;
    this.#wake = new Wake(deps.sleep);
  }

  /** Until it is over, or the signal aborts. The channel is on no stream after that, and keeps all that it has. */
  async run(signal: AbortSignal): Promise<StreamEnd> {
    const link = this.#begin();
    try {
      await this.#keep(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#deps.channel.detach(link);
    }
    if (this.#end === undefined) link.close(LEFT);
    else if (this.#end.kind === 'lost') link.destroy();
    return this.#end ?? { kind: 'left', wasOpen: this.#isOpen };
  }

  frame(frame: Frame): void {
    if (this.#end) return;
    this.#heard = true;
    if (frame.kind === 'pong') return;
    if (!this.#isOpen && frame.kind === 'opened' && this.#link) return this.#opened(this.#link, frame);
    const isExpected = frame.kind === 'message' || frame.kind === 'chunk' || frame.kind === 'ack';
    if (this.#isOpen && isExpected) return this.#deps.channel.frame(frame);
    this.#finish({ kind: 'lost', why: `${frame.kind} is not expected here` });
  }

  room(): void {
    // Something went out: slow is not blocked.
    this.#heard = true;
    if (this.#isOpen && !this.#end) this.#deps.channel.hasRoom();
  }

  closed(why: Why | undefined): void {
    this.#finish(why ? { kind: 'closed', why } : { kind: 'lost', why: 'the connection was lost' });
  }

  #begin(): FrameLink {
    const { channel, open, says } = this.#deps;
    const { memory, window } = channel.handshake();
    const link = open(this);
    this.#link = link;
    link.send({
      kind: 'open',
      version: PROTOCOL_VERSION,
      oldestVersion: OLDEST_PROTOCOL_VERSION,
      ...says,
      process: '',
      target: '',
      shard: 0,
      shards: 1,
      memory,
      window,
      stream: '',
      reads: false,
    });
    return link;
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const { clock, openWithinMs, beatMs } = this.#deps;
    const until = clock.now() + openWithinMs;
    while (!this.#isOpen && !this.#end) {
      if (clock.now() >= until) this.#finish({ kind: 'lost', why: 'it was not opened in time' });
      else await this.#wake.wait(until - clock.now(), signal);
    }
    for (let beatAt = clock.now() + beatMs; !this.#end; ) {
      await this.#wake.wait(beatAt - clock.now(), signal);
      if (this.#end || clock.now() < beatAt) continue;
      beatAt = clock.now() + beatMs;
      this.#beat();
    }
  }

  #opened(link: FrameLink, frame: Frame & { readonly kind: 'opened' }): void {
    this.#isOpen = true;
    this.#deps.channel.attach(link, frame);
    this.#deps.opened();
    this.#wake.raise();
  }

  #beat(): void {
    const { channel, pings, silentBeats } = this.#deps;
    // Who is not asked, and has nothing to acknowledge, need not say anything.
    const isExpected = pings || channel.buffered.messages > 0;
    this.#silent = this.#heard || !isExpected ? 0 : this.#silent + 1;
    this.#heard = false;
    if (this.#silent >= silentBeats) {
      this.#finish({ kind: 'lost', why: `nothing was heard for ${silentBeats} heartbeats` });
      return;
    }
    this.#nonce += 1;
    if (pings) this.#link?.send({ kind: 'ping', nonce: this.#nonce });
  }

  #finish(end: { readonly kind: 'closed'; readonly why: Why } | { readonly kind: 'lost'; readonly why: string }): void {
    this.#end ??= { ...end, wasOpen: this.#isOpen };
    this.#wake.raise();
  }
}

const LEFT: Why = { reason: 'done', message: 'it goes another way now', retryAfterMs: 0 };
