import { type Clock, Notifier, type Sleep } from '#kit/std';
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
  /** After this many beats without a sign of life the route counts as blocked. */
  readonly silentBeats: number;
  /** The other end answers pings by itself, so silence is always meaningful. */
  readonly pings: boolean;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** `wasOpen`: the other end had accepted the stream. */
export type StreamEnd = { readonly wasOpen: boolean } & (
  | { readonly kind: 'closed'; readonly why: Why }
  | { readonly kind: 'lost'; readonly why: string }
  /** Ended by this end. */
  | { readonly kind: 'left' }
);

/** A channel on one stream of one route, from the first frame until the stream ends. */
export class DataStream implements LinkHandlers {
  readonly #deps: DataStreamDeps;
  readonly #wake: Notifier;
  #link: FrameLink | undefined;
  #isOpen = false;
  #end: StreamEnd | undefined;
  #heard = true;
  #silent = 0;
  #nonce = 0;

  constructor(deps: DataStreamDeps) {
    this.#deps = deps;
    this.#wake = new Notifier(deps.sleep);
  }

  /** Runs until the stream ends or the signal aborts. Afterwards the channel is detached, with all its messages. */
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
    // A frame went out: the route is slow, not blocked.
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
      if (clock.now() >= until) this.#finish({ kind: 'lost', why: 'the stream was not opened in time' });
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
    this.#wake.notify();
  }

  #beat(): void {
    const { channel, pings, silentBeats } = this.#deps;
    // A peer that is neither pinged nor has anything to acknowledge may stay silent.
    const isExpected = pings || channel.buffered.messages > 0;
    this.#silent = this.#heard || !isExpected ? 0 : this.#silent + 1;
    this.#heard = false;
    if (this.#silent >= silentBeats) {
      this.#finish({ kind: 'lost', why: `no answer for ${silentBeats} heartbeats` });
      return;
    }
    this.#nonce += 1;
    if (pings) this.#link?.send({ kind: 'ping', nonce: this.#nonce });
  }

  #finish(end: { readonly kind: 'closed'; readonly why: Why } | { readonly kind: 'lost'; readonly why: string }): void {
    this.#end ??= { ...end, wasOpen: this.#isOpen };
    this.#wake.notify();
  }
}

const LEFT: Why = { reason: 'done', message: 'the channel uses another route now', retryAfterMs: 0 };
