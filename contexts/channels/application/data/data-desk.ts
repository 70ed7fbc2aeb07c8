import { type Random, unlessAborted } from '#kit/std';
import type { ControlRequest, DataRoute, OpenStream } from '../../domain/control-message.ts';
import {
  type ChannelWindow,
  type CloseFrame,
  type Frame,
  OLDEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION,
} from '../../domain/frame.ts';
import type { Channel, ChannelHandlers, Inbound } from '../channel.ts';
import type { AcceptLink, FrameLink, LinkHandlers } from '../link.ts';
import type { Uplink } from '../uplink.ts';
import { type DataCredentials, type DataInletLimits, DataInlets, type DataInletsDeps } from './data-inlets.ts';
import { type DataPace, DataSource, type DataSourceDeps, type DataWay } from './data-source.ts';

/** Dependencies of a fleetlet's data channels, besides its uplink to the platform. */
export interface DataPorts {
  readonly credentials: DataCredentials;
  /** Where other fleetlets can reach this one; empty when it does not listen. */
  readonly addresses: () => readonly string[];
  /** Dials another fleetlet; missing where that is impossible. */
  readonly dial?: DataSourceDeps['dial'];
  readonly random: Random;
  readonly onWay?: (channel: string, way: DataWay | undefined, why: string) => void;
  readonly pace?: Partial<DataPace>;
  readonly limits?: Partial<DataInletLimits>;
}

export interface DataDeskDeps extends Omit<DataInletsDeps, 'credentials' | 'limits'> {
  readonly ports: DataPorts;
  readonly uplink: Pick<Uplink, 'openLink'>;
  /** `settled`: the platform has received the request, or never will. */
  readonly ask: (request: ControlRequest, settled?: () => void) => void;
}

/** A source may hold only little at the reader's fleetlet, since there may be many sources. Chunked messages do not count. */
const SOURCE_WINDOW: ChannelWindow = { messages: 64, bytes: 256 * 1024 };
const ANSWER_MS = 10_000;

/** A fleetlet's part in data channels: the sources of its own processes, and the channels that its processes read. */
export class DataDesk {
  readonly #deps: DataDeskDeps;
  readonly #inlets: DataInlets;
  readonly #waiting = new Map<string, (route: DataRoute) => void>();
  /** Questions that have not reached the platform yet: while it is unreachable, one per channel is enough. */
  readonly #asked = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #over = new AbortController();
  #requests = 0;
  #isTold = false;

  constructor(deps: DataDeskDeps) {
    this.#deps = deps;
    const { credentials, limits } = deps.ports;
    this.#inlets = new DataInlets({ ...deps, credentials, limits, window: SOURCE_WINDOW });
  }

  /** For the listener that other fleetlets dial. */
  get accept(): AcceptLink {
    return this.#inlets.accept;
  }

  openSource({ name, mode }: Pick<DataSourceDeps, 'name' | 'mode'>, handlers: ChannelHandlers): Channel {
    const { ports, uplink } = this.#deps;
    const source = new DataSource({
      ...this.#deps,
      name,
      mode,
      handlers,
      resolve: (channel, signal) => this.#resolve(channel, signal),
      dial: ports.dial,
      random: ports.random,
      pace: ports.pace,
      relay: (its) => uplink.openLink(its),
      onWay: (way, why) => ports.onWay?.(name, way, why),
    });
    const running = source.run(this.#over.signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return source.channel;
  }

  /** A reader of the channel came or left; without a name, of any channel. */
  readersChanged(channel?: string): void {
    const changed = (channel === undefined ? this.#inlets.channels : [channel]).filter((each) =>
      this.#inlets.readersChanged(each),
    );
    if (changed.length > 0) this.#tellListening();
  }

  answer(channel: string, message: Inbound): void {
    this.#inlets.answer(channel, message);
  }

  /** The platform may have forgotten what it was told before. */
  welcomed(): void {
    if (this.#isTold) this.#tellListening();
  }

  route(route: DataRoute): void {
    this.#waiting.get(route.channel)?.(route);
  }

  /** The platform offers the stream of a source: it is accepted as if the source had dialled. */
  wanted({ stream, channel }: OpenStream): void {
    const relayed = new RelayedCall(this.#inlets.acceptRelayed);
    const link = this.#deps.uplink.openLink(relayed);
    relayed.link = link;
    const { session } = this.#deps;
    const none = { ofIncarnation: undefined, receivedUpTo: 0, receivedAbove: [], unacknowledged: [] };
    link.send({
      kind: 'open',
      version: PROTOCOL_VERSION,
      oldestVersion: OLDEST_PROTOCOL_VERSION,
      session,
      channel,
      stream,
      mode: 'reliable',
      process: '',
      target: '',
      shard: 0,
      shards: 1,
      reads: true,
      memory: { incarnation: session, ...none },
      window: SOURCE_WINDOW,
      ticket: new Uint8Array(0),
    });
  }

  /** Runs until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#inlets.run(signal);
    } finally {
      this.#over.abort();
      await Promise.allSettled(this.#running);
    }
  }

  close(why: Omit<CloseFrame, 'kind'>): void {
    this.#over.abort();
    this.#inlets.close(why);
  }

  #tellListening(): void {
    this.#isTold = true;
    const addresses = this.#deps.ports.addresses();
    const { channels } = this.#inlets;
    this.#deps.ask({ request: ++this.#requests, kind: 'listening', addresses, channels });
  }

  async #resolve(channel: string, signal: AbortSignal): Promise<DataRoute> {
    const { promise, resolve } = Promise.withResolvers<DataRoute>();
    this.#waiting.set(channel, resolve);
    if (!this.#asked.has(channel)) {
      this.#asked.add(channel);
      const settled = (): void => void this.#asked.delete(channel);
      this.#deps.ask({ request: ++this.#requests, kind: 'resolveData', channel }, settled);
    }
    try {
      return await unlessAborted(promise, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]));
    } finally {
      if (this.#waiting.get(channel) === resolve) this.#waiting.delete(channel);
    }
  }
}

/** A stream opened by this end, on which the other end sends the first frame once it is open. */
class RelayedCall implements LinkHandlers {
  readonly #accept: AcceptLink;
  #taken: LinkHandlers | undefined;
  link: FrameLink | undefined;

  constructor(accept: AcceptLink) {
    this.#accept = accept;
  }

  frame(frame: Frame): void {
    if (this.#taken) this.#taken.frame(frame);
    else if (frame.kind === 'opened' && this.link) this.#taken = this.#accept(this.link);
    else this.link?.destroy();
  }

  room(): void {
    this.#taken?.room();
  }

  closed(why: Omit<CloseFrame, 'kind'> | undefined): void {
    this.#taken?.closed(why);
  }

  malformed(message: string): void {
    this.#taken?.malformed?.(message);
  }
}
