import type { Clock, Random, Sleep } from '#kit/std';
import type { ChannelWindow, CloseReason } from '../domain/frame.ts';
import type { ByteHandlers, ByteStream } from './byte-stream.ts';
import type { Channel, ChannelHandlers } from './channel.ts';
import type { Connect, FrameLink, LinkHandlers } from './link.ts';
import { createReliableChannel, createShardedChannel } from './reliable-channel.ts';
import { UplinkBytes } from './uplink-bytes.ts';
import { ChannelStream, UplinkChannel } from './uplink-channel.ts';
import { type Ended, UplinkConnection, type UplinkPace } from './uplink-connection.ts';
import { UplinkLink } from './uplink-link.ts';

export type ConnectionClass = 'control' | 'bulk';

export interface ChannelSpec {
  readonly name: string;
  readonly mode: 'reliable' | 'lossy';
  readonly connectionClass: ConnectionClass;
  /** Number of streams; messages with the same key use the same one. */
  readonly shards?: number;
  readonly target?: string;
  /** Default: the process of the uplink. */
  readonly process?: string;
  readonly window?: ChannelWindow;
  readonly buffer?: ChannelWindow;
  readonly stream?: string;
  readonly ticket?: Uint8Array;
  /** Of a data channel: reads what the sources send, instead of being a source. */
  readonly reads?: boolean;
}

export interface ByteSpec {
  readonly name: string;
  /** Default `bulk`. */
  readonly connectionClass?: ConnectionClass;
  readonly target?: string;
  readonly process?: string;
  /** The stream name with which the other end asked for it. */
  readonly stream?: string;
  readonly ticket?: Uint8Array;
}

export interface UplinkDeps {
  readonly connect: Readonly<Record<ConnectionClass, Connect>>;
  /** Identifies this process for its lifetime. */
  readonly session: string;
  readonly process: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly newId: () => string;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  readonly heartbeatMs: number;
  readonly pace?: Partial<UplinkPace>;
  readonly onState?: (state: UplinkState) => void;
}

export type UplinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly why: string; readonly retryInMs: number }
  /** The uplink still retries, slowly. */
  | { readonly kind: 'refused'; readonly reason: CloseReason; readonly message: string };

const DEFAULT_WINDOW: ChannelWindow = { messages: 256, bytes: 1024 * 1024 };
const DEFAULT_BUFFER: ChannelWindow = { messages: 1024, bytes: 8 * 1024 * 1024 };

const DEFAULT_PACE: UplinkPace = {
  baseMs: 250,
  capMs: 30_000,
  quickMs: 2_000,
  stableMs: 10_000,
  refusedMs: 30_000,
  connectWithinMs: 15_000,
  openWithinMs: 10_000,
  idleMs: 60_000,
};

/**
 * The dialing end: of a fleetlet to its platform, of a local process to its fleetlet, and of a fleetlet to another fleetlet.
 * Keeps a connection, and a second one while there are bulk streams, and reopens all channels after each cut.
 *
 * A channel named `control` leads: the other channels wait until it is open, its end is the end of the connection, and a
 * refusal of it is the state of the whole uplink.
 */
export class Uplink {
  readonly #deps: UplinkDeps;
  readonly #control: UplinkConnection;
  readonly #bulk: UplinkConnection;
  #state: UplinkState = { kind: 'connecting' };
  #running: AbortSignal | undefined;
  #bulkRun: Promise<void> | undefined;

  constructor(deps: UplinkDeps) {
    this.#deps = deps;
    const pace = { ...DEFAULT_PACE, ...deps.pace };
    const { clock, sleep, random, heartbeatMs } = deps;
    const shared = { clock, sleep, random, heartbeatMs, pace };
    this.#control = new UplinkConnection({
      ...shared,
      connect: deps.connect.control,
      stayIdle: true,
      onConnecting: () => this.#become({ kind: 'connecting' }),
      onReady: () => this.#ready(),
      onEnded: (ended, retryInMs) => this.#become(stateAfter(ended, retryInMs)),
    });
    this.#bulk = new UplinkConnection({ ...shared, connect: deps.connect.bulk, stayIdle: false });
  }

  get state(): UplinkState {
    return this.#state;
  }

  /** How often the other end wants to receive a heartbeat. */
  set heartbeatMs(ms: number) {
    this.#control.heartbeat.everyMs = ms;
    this.#bulk.heartbeat.everyMs = ms;
  }

  /** May be called at any time, also before `run`. */
  open(spec: ChannelSpec, handlers: ChannelHandlers): Channel {
    const connection = this.#of(spec.connectionClass);
    const { newId, clock, sha256 } = this.#deps;
    const shared = new UplinkChannel(handlers);
    const { window = DEFAULT_WINDOW, buffer = DEFAULT_BUFFER, shards = 1, name, mode } = spec;
    const channels = Array.from({ length: shards }, (_, shard) => {
      const options = { name, mode, window, buffer, newIncarnation: newId, now: () => clock.now(), sha256 };
      const channel = createReliableChannel({ ...options, handlers: shared.ofShard(shard) });
      shared.add(
        new ChannelStream({ channel, shared, connection, open: { ...this.#openFrame(spec), mode, shard, shards } }),
      );
      return channel;
    });
    shared.begin();
    if (spec.connectionClass === 'bulk') this.#wantBulk();
    const [only] = channels;
    return only && shards === 1 ? only : createShardedChannel(channels);
  }

  /** Waits for a connection that is being made; closes soon after when there is none. */
  openBytes(spec: ByteSpec, handlers: ByteHandlers): ByteStream {
    const connectionClass = spec.connectionClass ?? 'bulk';
    const connection = this.#of(connectionClass);
    const bytes = new UplinkBytes(connection, this.#openFrame(spec), handlers);
    connection.add(bytes);
    if (connectionClass === 'bulk') this.#wantBulk();
    if (!connection.isExpected) queueMicrotask(() => bytes.lost('there is no connection'));
    return bytes;
  }

  /** A bulk stream whose frames, `open` included, are the caller's. Closed like `openBytes` when there is no connection. */
  openLink(handlers: LinkHandlers): FrameLink {
    const link = new UplinkLink(this.#bulk, handlers);
    this.#bulk.add(link);
    this.#wantBulk();
    if (!this.#bulk.isExpected) queueMicrotask(() => link.lost());
    return link;
  }

  /** With what is shown by now: for the other end to see it. Channels stay; streams of bytes end, as with every cut. */
  reconnect(why: string): void {
    this.#control.reconnect(why);
    this.#bulk.reconnect(why);
  }

  /** Runs until aborted. Channels survive, with everything they have buffered. */
  async run(signal: AbortSignal): Promise<void> {
    this.#running = signal;
    try {
      await this.#control.run(signal);
    } finally {
      this.#running = undefined;
      await this.#bulkRun;
    }
  }

  #of(connectionClass: ConnectionClass): UplinkConnection {
    return connectionClass === 'bulk' ? this.#bulk : this.#control;
  }

  #openFrame(spec: ByteSpec & Pick<ChannelSpec, 'reads'>) {
    const { name, target = '', process = this.#deps.process, stream = '', ticket = NO_TICKET, reads = false } = spec;
    return { session: this.#deps.session, channel: name, target, process, stream, ticket, reads };
  }

  #ready(): void {
    this.#become({ kind: 'connected' });
    if (this.#bulk.wanted) this.#wantBulk();
  }

  /** Bulk comes second: a session that is refused on control need not try. */
  #wantBulk(): void {
    const signal = this.#running;
    if (!signal || signal.aborted || this.#bulkRun || !this.#control.isReady) return;
    this.#bulkRun = this.#bulk.run(signal).finally(() => {
      this.#bulkRun = undefined;
      if (this.#bulk.wanted) this.#wantBulk();
    });
  }

  #become(state: UplinkState): void {
    this.#state = state;
    this.#deps.onState?.(state);
  }
}

function stateAfter(ended: Exclude<Ended, { kind: 'idle' }>, retryInMs: number): UplinkState {
  if (ended.kind === 'refused') return { kind: 'refused', reason: ended.reason, message: ended.message };
  return { kind: 'disconnected', why: ended.why, retryInMs };
}

const NO_TICKET = new Uint8Array(0);
