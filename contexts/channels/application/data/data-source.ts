import { backoffDelay, type Clock, type Random, type Sleep } from '#kit/std';
import type { DataRoute } from '../../domain/control-message.ts';
import type { ChannelWindow } from '../../domain/frame.ts';
import type { Channel, ChannelHandlers, LinkedChannel } from '../channel.ts';
import type { FrameLink, LinkConnection, LinkHandlers } from '../link.ts';
import { createReliableChannel } from '../reliable-channel.ts';
import { DataStream, type StreamEnd } from './data-stream.ts';

export type DataWay = 'direct' | 'relay';

/** A fleetlet to dial directly: its address, and the name that its certificate must have. */
export interface DirectAddress {
  readonly address: string;
  readonly serverName: string;
}

export interface DataSourceDeps {
  readonly name: string;
  readonly mode: 'reliable' | 'lossy';
  readonly handlers: ChannelHandlers;
  /** Asks the platform; a rejected question is asked again later. */
  readonly resolve: (channel: string, signal: AbortSignal) => Promise<DataRoute>;
  /** Missing where no fleetlet can be dialled directly. */
  readonly dial?: ((to: DirectAddress, signal: AbortSignal) => Promise<LinkConnection>) | undefined;
  readonly relay: (handlers: LinkHandlers) => FrameLink;
  readonly session: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly newId: () => string;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  readonly heartbeatMs: number;
  readonly window: ChannelWindow;
  readonly buffer: ChannelWindow;
  readonly pace?: Partial<DataPace> | undefined;
  /** `undefined`: there is no route now; `why` says the reason. */
  readonly onWay?: (way: DataWay | undefined, why: string) => void;
}

export interface DataPace {
  /** For both the connection and the stream on it. */
  readonly directWithinMs: number;
  readonly relayWithinMs: number;
  /** Average wait until the direct route is tried again while the relay is used; doubles each time. */
  readonly againMs: number;
  readonly againCapMs: number;
  /** Between failed attempts, with full jitter. */
  readonly baseMs: number;
  readonly capMs: number;
}

const DATA_PACE: DataPace = {
  directWithinMs: 3_000,
  relayWithinMs: 10_000,
  againMs: 30_000,
  againCapMs: 600_000,
  baseMs: 250,
  capMs: 30_000,
};

/** After this uptime the backoff starts from the shortest wait again. */
const STABLE_MS = 10_000;
const DIRECT_SILENT_BEATS = 2;
/** A slow reader looks just as silent, and reopening the stream is cheap. */
const RELAY_SILENT_BEATS = 12;

interface Direct {
  readonly connection: LinkConnection;
  readonly route: DataRoute;
}

/**
 * The sending end of a data channel: one channel, whatever its route. It goes directly if the other fleetlet can be reached,
 * otherwise through the platform; when the current route fails it continues over the other.
 */
export class DataSource {
  readonly #deps: DataSourceDeps;
  readonly #pace: DataPace;
  readonly #channel: LinkedChannel;
  readonly #over = new AbortController();
  #directAt = 0;
  #directTries = 0;
  /** Made while the platform relayed the channel. */
  #direct: Direct | undefined;

  constructor(deps: DataSourceDeps) {
    const { name, mode, handlers, window, buffer, newId, clock, sha256 } = deps;
    this.#deps = deps;
    this.#pace = { ...DATA_PACE, ...deps.pace };
    this.#channel = createReliableChannel({
      name,
      mode,
      window,
      buffer,
      sha256,
      newIncarnation: newId,
      now: () => clock.now(),
      handlers: {
        ...handlers,
        closed: (why) => {
          this.#over.abort();
          handlers.closed?.(why);
        },
      },
    });
  }

  get channel(): Channel {
    return this.#channel;
  }

  /** Runs until aborted, or until the channel is closed. */
  async run(signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.#over.signal]);
    try {
      for (let failures = 0; ; ) {
        const began = this.#deps.clock.now();
        const end = await this.#once(until);
        const isStable = end.wasOpen && this.#deps.clock.now() - began >= STABLE_MS;
        failures = isStable ? 0 : failures + 1;
        const putOff = end.kind === 'closed' ? end.why.retryAfterMs : 0;
        if (end.kind !== 'left') await this.#deps.sleep(putOff + this.#delay(failures), until);
      }
    } catch (error) {
      if (!until.aborted) throw error;
    } finally {
      await this.#direct?.connection.close();
    }
  }

  #delay(failures: number): number {
    return failures === 0 ? 0 : backoffDelay(this.#pace, failures, this.#deps.random);
  }

  /** Uses one route until it fails. */
  async #once(signal: AbortSignal): Promise<StreamEnd> {
    try {
      const direct = this.#takeDirect();
      if (direct) return await this.#overDirect(direct, signal);
      const route = await this.#resolve(signal);
      const connection = this.#isDirectDue(route) ? await this.#dial(route, signal) : undefined;
      if (connection) return await this.#overDirect({ connection, route }, signal);
      return await this.#overRelay(route, signal);
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      this.#deps.onWay?.(undefined, why);
      return { kind: 'lost', why, wasOpen: false };
    }
  }

  async #resolve(signal: AbortSignal): Promise<DataRoute> {
    const route = await this.#deps.resolve(this.#deps.name, signal);
    if (route.ticket.length === 0) throw new Error(route.message || 'the platform knows no route');
    return route;
  }

  #takeDirect(): Direct | undefined {
    const direct = this.#direct;
    this.#direct = undefined;
    return direct;
  }

  #isDirectDue({ addresses }: DataRoute): boolean {
    return this.#deps.dial !== undefined && addresses.length > 0 && this.#deps.clock.now() >= this.#directAt;
  }

  /** The first address that answers. */
  async #dial({ addresses, serverName }: DataRoute, signal: AbortSignal): Promise<LinkConnection | undefined> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(this.#pace.directWithinMs)]);
    for (const address of addresses) {
      try {
        return await this.#deps.dial?.({ address, serverName }, within);
      } catch {
        signal.throwIfAborted();
      }
    }
    this.#putOffDirect();
    return undefined;
  }

  #putOffDirect(): void {
    const { againMs: baseMs, againCapMs } = this.#pace;
    const longest = Math.min(againCapMs, baseMs * 2 ** this.#directTries);
    this.#directTries += 1;
    this.#directAt = this.#deps.clock.now() + Math.floor(longest * (0.5 + this.#deps.random()));
  }

  async #overDirect({ connection, route }: Direct, signal: AbortSignal): Promise<StreamEnd> {
    try {
      const end = await this.#carry('direct', route, (handlers) => connection.open(handlers)).run(signal);
      // After `draining` the source reconnects directly at once, with a new ticket. Any other end means that the route is bad.
      const isAgain = end.kind === 'closed' && end.why.reason === 'draining';
      if (end.wasOpen) this.#directTries = 0;
      if (!isAgain) this.#putOffDirect();
      if (isAgain || end.kind === 'left') return end;
      // The platform relays the channel from now on.
      return { ...end, kind: 'left' };
    } finally {
      // Not awaited: a blocked connection may never finish closing.
      connection.close().catch(() => {});
    }
  }

  async #overRelay(route: DataRoute, signal: AbortSignal): Promise<StreamEnd> {
    const over = new AbortController();
    const probing = this.#probe(route, AbortSignal.any([signal, over.signal])).then(() => over.abort());
    try {
      const until = AbortSignal.any([signal, over.signal]);
      const end = await this.#carry('relay', route, this.#deps.relay).run(until);
      if (end.kind === 'closed') this.#deps.onWay?.(undefined, end.why.message || end.why.reason);
      return end;
    } finally {
      over.abort();
      await probing.catch(() => {});
    }
  }

  /** Resolves once there is a direct connection; rejects when aborted. */
  async #probe({ addresses }: DataRoute, signal: AbortSignal): Promise<void> {
    const { sleep, clock, dial } = this.#deps;
    // Whether a fleetlet can be dialled is decided when it starts, and a restart cuts all its streams anyway.
    if (dial === undefined || addresses.length === 0) return await forever(signal);
    for (;;) {
      await sleep(Math.max(0, this.#directAt - clock.now()), signal);
      const route = await this.#resolve(signal).catch(() => undefined);
      signal.throwIfAborted();
      const connection = route && (await this.#dial(route, signal));
      if (!route || !connection) {
        if (!route) this.#putOffDirect();
        continue;
      }
      this.#direct = { connection, route };
      return;
    }
  }

  #carry(way: DataWay, { ticket }: DataRoute, open: DataSourceDeps['relay']): DataStream {
    const { session, name: channel, mode, heartbeatMs: beatMs, clock, sleep, onWay } = this.#deps;
    const isDirect = way === 'direct';
    return new DataStream({
      channel: this.#channel,
      open,
      says: { session, channel, mode, ticket },
      opened: () => onWay?.(way, ''),
      openWithinMs: isDirect ? this.#pace.directWithinMs : this.#pace.relayWithinMs,
      beatMs,
      silentBeats: isDirect ? DIRECT_SILENT_BEATS : RELAY_SILENT_BEATS,
      pings: isDirect,
      clock,
      sleep,
    });
  }
}

function forever(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}
