import type { Clock } from '#kit/std';
import type { ChannelWindow, CloseFrame, OpenFrame } from '../../domain/frame.ts';
import type { Channel, Inbound, LinkedChannel } from '../channel.ts';
import { createReliableChannel } from '../reliable-channel.ts';
import { createShardedChannel } from '../sharded-channel.ts';
import type { ServedTarget } from './ports.ts';
import type { SessionView } from './session-view.ts';

/** What becomes of the messages of one channel, whichever fleetlet they are from. */
export interface ChannelHandler {
  readonly mode: 'reliable' | 'lossy';
  /** What may be under way from one fleetlet. */
  readonly window?: ChannelWindow;
  /** What is kept for one fleetlet until it has acknowledged it. */
  readonly buffer?: ChannelWindow;
  /** In order for each key; the sender speaks for the target that is named. Must not throw. */
  message(message: Inbound, from: MessageSource): void;
}

export interface MessageSource {
  readonly session: FleetletSession;
  /** The way back. */
  readonly channel: Channel;
}

export interface FleetletSessionDeps {
  readonly newId: () => string;
  readonly clock: Clock;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  readonly channelsPerSession: number;
}

interface ChannelEnd {
  readonly name: string;
  readonly target: string;
  readonly parts: readonly LinkedChannel[];
  readonly channel: Channel;
}

const WINDOW: ChannelWindow = { messages: 256, bytes: 1024 * 1024 };
const BUFFER: ChannelWindow = { messages: 1_024, bytes: 8 * 1024 * 1024 };
const MAX_SHARDS = 16;

/** One life of a fleetlet's process: its channels, over all the connections that it makes. */
export class FleetletSession {
  readonly fleetlet: string;
  readonly id: string;
  /** Sessions of the same fleetlet that this one, or one before it, took the place of. */
  readonly predecessors: readonly string[];
  /** Since when its control stream is away; `undefined` while it is there. */
  cutAt: number | undefined;
  /** What its connection proved does not hold after this. */
  notAfter = Number.POSITIVE_INFINITY;
  /** Of the newest that any of its streams proved itself with. */
  issuedAt = 0;
  /** Of the connection with the control stream. */
  address = '';
  /** The first frame of the control stream that counts, and when that came. */
  control: OpenFrame | undefined;
  connectedAt = 0;
  /** Targets that it wants to speak for; whether it does is for `TargetDesk` to say. */
  readonly claims = new Set<string>();
  /** Targets that it may not speak for any more, though it may not have heard. */
  readonly letGo = new Set<string>();
  readonly #deps: FleetletSessionDeps;
  readonly #ends = new Map<string, ChannelEnd>();

  constructor(
    fleetlet: string,
    { id, predecessors }: { readonly id: string; readonly predecessors: readonly string[] },
    deps: FleetletSessionDeps,
  ) {
    this.fleetlet = fleetlet;
    this.id = id;
    this.predecessors = predecessors;
    this.#deps = deps;
    this.cutAt = deps.clock.now();
  }

  /** Unique among all sessions of all fleetlets. */
  get key(): string {
    return `${this.fleetlet} ${this.id}`;
  }

  get isLive(): boolean {
    return this.cutAt === undefined;
  }

  get buffered(): number {
    return [...this.#ends.values()].reduce((sum, { channel }) => sum + channel.buffered.bytes, 0);
  }

  view(targets: readonly ServedTarget[]): SessionView {
    const { fleetlet, id: session, issuedAt, isLive, address, buffered: bufferedBytes } = this;
    const dropped = [...this.#ends.values()].reduce((sum, { channel }) => sum + channel.buffered.dropped, 0);
    return { fleetlet, session, issuedAt, isLive, address, targets, bufferedBytes, dropped };
  }

  /** The part of a channel that the stream is of, the same one whenever it comes; or why it cannot be had. */
  part(
    open: OpenFrame,
    handler: ChannelHandler,
    take: (message: Inbound, from: MessageSource) => void,
  ): LinkedChannel | string {
    const shards = Math.max(1, open.shards);
    if (shards > MAX_SHARDS || open.shard >= shards)
      return `shard ${open.shard} of ${shards}, of at most ${MAX_SHARDS}`;
    const key = `${open.channel} ${open.target} ${open.process} ${shards}`;
    const end = this.#ends.get(key) ?? this.#newEnd(key, { open, shards, handler, take });
    return end?.parts[open.shard] ?? `a fleetlet has at most ${this.#deps.channelsPerSession} channels open`;
  }

  /** Where to send what is for a target; one that is of this target alone comes first. */
  channel(name: string, target: string): Channel | undefined {
    const ends = [...this.#ends.values()].filter((end) => end.name === name);
    return (ends.find((end) => end.target === target) ?? ends.find((end) => end.target === ''))?.channel;
  }

  /** For good: what waits to be sent never will be. */
  close(why: Omit<CloseFrame, 'kind'>): void {
    const ends = [...this.#ends.values()];
    this.#ends.clear();
    for (const { channel } of ends) channel.close(why);
  }

  #newEnd(
    key: string,
    its: {
      readonly open: OpenFrame;
      readonly shards: number;
      readonly handler: ChannelHandler;
      readonly take: (message: Inbound, from: MessageSource) => void;
    },
  ): ChannelEnd | undefined {
    if (this.#ends.size >= this.#deps.channelsPerSession) return undefined;
    const { open, shards, handler, take } = its;
    const { mode, window = WINDOW, buffer = BUFFER } = handler;
    const { newId: newIncarnation, clock, sha256 } = this.#deps;
    const message = (inbound: Inbound): void => take(inbound, { session: this, channel });
    const closed = (): void => void this.#ends.delete(key);
    const share = { messages: Math.ceil(buffer.messages / shards), bytes: Math.ceil(buffer.bytes / shards) };
    const parts = Array.from({ length: shards }, () =>
      createReliableChannel({
        name: open.channel,
        mode,
        handlers: { message, closed },
        window,
        buffer: share,
        newIncarnation,
        now: () => clock.now(),
        sha256,
      }),
    );
    const channel = createShardedChannel(parts);
    const end = { name: open.channel, target: open.target, parts, channel };
    this.#ends.set(key, end);
    return end;
  }
}
