import type { Clock } from '#kit/std';
import type { ChannelWindow, CloseFrame, OpenFrame } from '../../domain/frame.ts';
import type { Channel, Inbound, LinkedChannel } from '../channel.ts';
import { createReliableChannel } from '../reliable-channel.ts';
import { createShardedChannel } from '../sharded-channel.ts';
import type { ServedTarget } from './ports.ts';
import type { SessionView } from './session-view.ts';

/** Handles the messages of one channel, from all fleetlets. */
export interface ChannelHandler {
  readonly mode: 'reliable' | 'lossy';
  /** How much may be in flight from one fleetlet. */
  readonly window?: ChannelWindow;
  /** How much is kept for one fleetlet until it is acknowledged. */
  readonly buffer?: ChannelWindow;
  /** In order for each key. The sender is the process that serves the message's target. Must not throw. */
  message(message: Inbound, from: MessageSource): void;
}

export interface MessageSource {
  readonly session: FleetletSession;
  /** The channel for answers. */
  readonly channel: Channel;
}

export interface FleetletSessionDeps {
  readonly newId: () => string;
  readonly clock: Clock;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  readonly channelsPerSession: number;
  /** Receives all messages of its channels. */
  readonly gate: { take(message: Inbound, from: MessageSource): void };
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

/** One lifetime of a fleetlet process: its channels, over all its connections. */
export class FleetletSession {
  readonly fleetlet: string;
  readonly id: string;
  /** Earlier sessions of the same fleetlet, replaced by this one or by a predecessor. */
  readonly predecessors: readonly string[];
  /** Since when the control stream is cut; `undefined` while it is open. */
  cutAt: number | undefined;
  /** When the credentials of the connection expire. */
  notAfter = Number.POSITIVE_INFINITY;
  /** Of the newest that any of its streams proved itself with. */
  issuedAt = 0;
  /** The address of the connection with the control stream. */
  address = '';
  /** The `open` frame of the current control stream, and when it arrived. */
  control: OpenFrame | undefined;
  connectedAt = 0;
  /** Targets that this session claims. `TargetDesk` decides whether it serves them. */
  readonly claims = new Set<string>();
  /** Targets that this session may no longer serve, though the fleetlet may not know yet. */
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

  /** Unique across the sessions of all fleetlets. */
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

  /** The shard that the stream belongs to, the same for every reconnect; or a sentence when it is refused. */
  part(open: OpenFrame, handler: ChannelHandler): LinkedChannel | string {
    const shards = Math.max(1, open.shards);
    if (shards > MAX_SHARDS || open.shard >= shards)
      return `shard ${open.shard} of ${shards} refused; at most ${MAX_SHARDS} shards are allowed`;
    const key = `${open.channel} ${open.target} ${open.process} ${shards}`;
    const end = this.#ends.get(key) ?? this.#newEnd(key, { open, shards, handler });
    return end?.parts[open.shard] ?? `a fleetlet has at most ${this.#deps.channelsPerSession} channels open`;
  }

  /** The channel for messages to a target; a channel of this target alone takes precedence. */
  channel(name: string, target: string): Channel | undefined {
    const ends = [...this.#ends.values()].filter((end) => end.name === name);
    return (ends.find((end) => end.target === target) ?? ends.find((end) => end.target === ''))?.channel;
  }

  /** Closes the session permanently: messages that wait to be sent are dropped. */
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
    },
  ): ChannelEnd | undefined {
    if (this.#ends.size >= this.#deps.channelsPerSession) return undefined;
    const { open, shards, handler } = its;
    const { mode, window = WINDOW, buffer = BUFFER } = handler;
    const { newId: newIncarnation, clock, sha256, gate } = this.#deps;
    const message = (inbound: Inbound): void => gate.take(inbound, from);
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
    const from = { session: this, channel };
    const end = { name: open.channel, target: open.target, parts, channel };
    this.#ends.set(key, end);
    return end;
  }
}
