import type { Clock } from '#kit/std';
import type { ControlReply, ControlRequest } from '../../domain/control-message.ts';
import { type DataReader, isDataChannel, readerFor } from '../../domain/data-channel.ts';
import { type DataTicket, TICKET_MS, ticketFault } from '../../domain/data-ticket.ts';
import type { CloseReason, OpenFrame } from '../../domain/frame.ts';
import type { Admission } from '../acceptor.ts';
import type { ControlExtension } from '../hub/control-desk.ts';
import type { StreamWanted, TakeStream } from '../hub/reverse-streams.ts';
import { FrameSplice } from './frame-splice.ts';

/** Signs and verifies tickets with the platform's key. */
export interface DataTickets {
  /** A JWK, as text, that verifies tickets. */
  readonly publicKey: string;
  sign(ticket: DataTicket): Promise<Uint8Array>;
  /** `undefined`: not signed by this platform. */
  read(ticket: Uint8Array): Promise<DataTicket | undefined>;
}

/** The workspace paths of fleetlets. Unknown and revoked fleetlets are missing. */
export type FleetletPaths = (fleetlets: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, string>>;

/** The part of the session hub that is needed here. */
export interface StreamsToFleetlets {
  isConnected(fleetlet: string): boolean;
  openStreamAt(
    fleetlet: string,
    wanted: Omit<StreamWanted, 'target'> & { readonly take: TakeStream },
    signal: AbortSignal,
  ): Promise<void>;
}

export interface DataRoutesDeps {
  readonly tickets: DataTickets;
  readonly pathsOf: FleetletPaths;
  /** The name in a fleetlet's certificate. */
  readonly serverNameOf: (fleetlet: string) => string;
  /** Available once everything is wired. */
  readonly streams: () => StreamsToFleetlets;
  readonly session: string;
  readonly clock: Clock;
}

type Listening = Extract<ControlRequest, { kind: 'listening' }>;

const MOST_CHANNELS = 64;
const MOST_ADDRESSES = 8;
const LONGEST_ADDRESS = 300;
const RETRY_MS = 1_000;

/** Decides where data channels lead and who may use them, and relays those that have no direct route. */
export class DataRoutes implements ControlExtension {
  readonly #deps: DataRoutesDeps;
  /** By channel, then by fleetlet, longest-standing readers first. */
  readonly #readers = new Map<string, Map<string, readonly string[]>>();

  constructor(deps: DataRoutesDeps) {
    this.#deps = deps;
  }

  async answer(
    fleetlet: string,
    request: Extract<ControlRequest, { kind: 'resolveData' | 'listening' }>,
    signal: AbortSignal,
  ): Promise<ControlReply | undefined> {
    if (request.kind === 'resolveData') return await this.#resolve(fleetlet, request, signal);
    this.#listening(fleetlet, request);
    return undefined;
  }

  gone(fleetlet: string): void {
    for (const [channel, readers] of this.#readers) {
      if (readers.delete(fleetlet) && readers.size === 0) this.#readers.delete(channel);
    }
  }

  /** A stream with a ticket: it is relayed to the ticket's destination. */
  async admit(fleetlet: string, open: OpenFrame): Promise<Admission> {
    const { tickets, clock } = this.#deps;
    const ticket = await tickets.read(open.ticket);
    if (ticket === undefined) return refused('unauthenticated', 'the ticket was not signed by this platform');
    const { channel } = open;
    const fault = ticketFault(ticket, { channel, source: fleetlet, destination: undefined, now: clock.now() });
    if (fault !== undefined) return { kind: 'refused', ...fault };
    return { kind: 'raw', take: (link) => this.#relay(new FrameSplice(link, open), ticket) };
  }

  #relay(splice: FrameSplice, { channel, destination }: DataTicket): FrameSplice {
    const take: TakeStream = (other, { memory, window }, version) => {
      other.send({ kind: 'opened', version, session: this.#deps.session, memory, window });
      return splice.join(other);
    };
    this.#deps
      .streams()
      .openStreamAt(destination, { channel, mode: 'relay', take }, splice.gone)
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        splice.end({ reason: 'unavailable', message, retryAfterMs: RETRY_MS });
      });
    return splice;
  }

  #listening(fleetlet: string, { addresses, channels }: Listening): void {
    const its = addresses.filter(({ length }) => length <= LONGEST_ADDRESS).slice(0, MOST_ADDRESSES);
    const read = new Set(channels.filter(isDataChannel).slice(0, MOST_CHANNELS));
    for (const channel of this.#readers.keys()) if (!read.has(channel)) this.#readers.get(channel)?.delete(fleetlet);
    for (const channel of read) {
      const readers = this.#readers.get(channel) ?? new Map<string, readonly string[]>();
      this.#readers.set(channel, readers.set(fleetlet, its));
    }
    for (const [channel, readers] of this.#readers) if (readers.size === 0) this.#readers.delete(channel);
  }

  async #resolve(
    source: string,
    { request, channel }: { readonly request: number; readonly channel: string },
    signal: AbortSignal,
  ): Promise<ControlReply> {
    const { tickets, serverNameOf, clock } = this.#deps;
    const destination = await this.#readerFor(source, channel, signal);
    if (destination === undefined) {
      const message = `${channel} has no reader for the workspace of this fleetlet`;
      const none = { addresses: [], ticket: new Uint8Array(0), ticketExpires: 0, serverName: '' };
      return { request, kind: 'dataRoute', channel, ...none, message };
    }
    const expires = clock.now() + TICKET_MS;
    return {
      request,
      kind: 'dataRoute',
      channel,
      addresses: this.#readers.get(channel)?.get(destination) ?? [],
      ticket: await tickets.sign({ channel, source, destination, expires }),
      ticketExpires: expires,
      serverName: serverNameOf(destination),
      message: '',
    };
  }

  /**
   * Looked up each time, because fleetlets are moved and revoked. A reader that is not connected may still be reachable
   * directly.
   */
  async #readerFor(source: string, channel: string, signal: AbortSignal): Promise<string | undefined> {
    const known = [...(this.#readers.get(channel)?.keys() ?? [])];
    if (known.length === 0) return undefined;
    const paths = await this.#deps.pathsOf([source, ...known], signal);
    const path = paths.get(source);
    if (path === undefined) return undefined;
    const readers = known.flatMap((fleetlet): DataReader[] => {
      const its = paths.get(fleetlet);
      return its === undefined ? [] : [{ fleetlet, path: its }];
    });
    const streams = this.#deps.streams();
    const connected = readers.filter(({ fleetlet }) => streams.isConnected(fleetlet));
    return (readerFor(path, connected) ?? readerFor(path, readers))?.fleetlet;
  }
}

function refused(reason: CloseReason, message: string): Admission {
  return { kind: 'refused', reason, message };
}
