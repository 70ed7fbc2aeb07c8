import type { Clock, Sleep } from '#kit/std';
import type { Welcome } from '../../domain/control-message.ts';
import { isDataChannel } from '../../domain/data-channel.ts';
import { type DataTicket, ticketFault } from '../../domain/data-ticket.ts';
import type { ChannelWindow, CloseFrame, CloseReason, OpenFrame } from '../../domain/frame.ts';
import { type Acceptor, type Admission, createAcceptor } from '../acceptor.ts';
import type { LocalEnd } from '../broker/local-session.ts';
import type { Inbound, LinkedChannelOptions } from '../channel.ts';
import type { AcceptLink, LinkPeer } from '../link.ts';
import { DataInlet } from './data-inlet.ts';

/** What others show, and what it proves. A throw is trouble of ours. */
export interface DataCredentials {
  /** What the ticket says if that key has signed it; a JWK, as text. */
  readTicket(ticket: Uint8Array, key: string): Promise<DataTicket | undefined>;
  /** The fleetlet that a certificate, in DER, is of, if one of these authorities (PEM) vouches for it now. */
  fleetletOf(certificate: Uint8Array, authorities: string, now: number): string | undefined;
}

export interface DataInletsDeps {
  readonly credentials: DataCredentials;
  /** As the platform said it last. */
  readonly welcome: () => Welcome;
  /** The local processes that read a channel. */
  readonly readers: (channel: string) => readonly LocalEnd[];
  readonly refused: (who: string, message: string) => void;
  readonly malformed: (message: string) => void;
  readonly session: string;
  readonly heartbeatMs: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly newId: () => string;
  readonly sha256: LinkedChannelOptions['sha256'];
  /** Of each source. */
  readonly window: ChannelWindow;
  readonly buffer: ChannelWindow;
  readonly limits?: Partial<DataInletLimits> | undefined;
}

export interface DataInletLimits {
  /** In all channels together. */
  readonly maxSources: number;
  /** A source that is away is remembered for so long. */
  readonly memoryMs: number;
  /** A direct stream has to be opened anew after this, with a ticket that whoever was revoked does not get. */
  readonly directLifeMs: number;
}

const LIMITS: DataInletLimits = { maxSources: 1_000, memoryMs: 10 * 60_000, directLifeMs: 10 * 60_000 };
const NOBODY_MS = 1_000;

/** Where data channels are read: takes their sources, whether they call directly or the platform passes them on. */
export class DataInlets {
  readonly #deps: DataInletsDeps;
  readonly #limits: DataInletLimits;
  readonly #inlets = new Map<string, DataInlet>();
  readonly #acceptor: Acceptor;
  /** The platform has seen to it that these are who the ticket says. */
  readonly #relayed = new WeakSet<LinkPeer>();
  readonly #until = new WeakMap<OpenFrame, number>();

  constructor(deps: DataInletsDeps) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...deps.limits };
    this.#acceptor = createAcceptor({
      ...deps,
      admit: (open, peer) => this.#admit(open, peer),
      onMalformed: (_peer, message) => deps.malformed(message),
    });
  }

  /** For the listener that other fleetlets call. */
  get accept(): AcceptLink {
    return this.#acceptor.accept;
  }

  /** For streams that the platform passes on. */
  readonly acceptRelayed: AcceptLink = (link) => {
    this.#relayed.add(link.peer);
    return this.#acceptor.accept(link);
  };

  get channels(): readonly string[] {
    return [...this.#inlets.keys()];
  }

  /** A process came that reads the channel, or one left. `true`: now it is read, or is no more. */
  readersChanged(channel: string): boolean {
    const inlet = this.#inlets.get(channel);
    const isRead = this.#deps.readers(channel).length > 0;
    if (inlet === undefined && isRead) this.#inlets.set(channel, this.#newInlet(channel));
    if (inlet !== undefined && isRead) inlet.pump();
    if (inlet !== undefined && !isRead) {
      this.#inlets.delete(channel);
      inlet.close(refusal('unavailable', `nobody reads ${channel} here any more`, NOBODY_MS));
    }
    return isRead === (inlet === undefined);
  }

  answer(channel: string, message: Inbound): void {
    const inlet = this.#inlets.get(channel);
    if (inlet === undefined) message.ack();
    else inlet.answer(message);
  }

  /** Until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#acceptor.run(signal), this.#sweepUntil(signal)]);
  }

  close(why: Omit<CloseFrame, 'kind'>): void {
    for (const inlet of this.#inlets.values()) inlet.close(why);
    this.#inlets.clear();
    this.#acceptor.closeWhere(() => true, why);
  }

  async #admit(open: OpenFrame, peer: LinkPeer): Promise<Admission> {
    const { channel } = open;
    if (!isDataChannel(channel) || open.mode === 'bytes') {
      return this.#refuse(
        peer,
        refusal('unknownChannel', `fleetlets take data channels of each other, not ${channel}`),
      );
    }
    const source = await this.#sourceOf(open, peer);
    if (typeof source !== 'string') return this.#refuse(peer, source);
    const inlet = this.#inlets.get(channel);
    if (inlet === undefined)
      return { kind: 'refused', ...refusal('unavailable', `nobody reads ${channel} here`, NOBODY_MS) };
    const size = [...this.#inlets.values()].reduce((sum, each) => sum + each.size, 0);
    if (size >= this.#limits.maxSources && !inlet.knows(source)) {
      return this.#refuse(peer, refusal('tooMany', `${size} sources are connected already`));
    }
    if (!this.#relayed.has(peer)) this.#until.set(open, this.#deps.clock.now() + this.#limits.directLifeMs);
    return { kind: 'channel', channel: inlet.attached(source, open.mode), detached: () => inlet.detached(source) };
  }

  /** The fleetlet that it is from, or why it is not let in. */
  async #sourceOf({ channel, ticket }: OpenFrame, peer: LinkPeer): Promise<string | Refusal> {
    const { credentials, welcome, clock } = this.#deps;
    const { ticketKey, authorities, fleetlet: destination } = welcome();
    const isRelayed = this.#relayed.has(peer);
    const { certificate } = peer;
    const proved = certificate && credentials.fleetletOf(certificate, authorities, clock.now());
    if (!isRelayed && proved === undefined) {
      return refusal('unauthenticated', 'no certificate was shown that the platform vouches for now');
    }
    const said = ticketKey === '' ? undefined : await credentials.readTicket(ticket, ticketKey);
    if (said === undefined) return refusal('unauthenticated', 'there is no ticket that the platform has signed');
    const source = proved ?? said.source;
    const fault = ticketFault(said, { channel, source, destination, now: clock.now() });
    return fault === undefined ? source : refusal(fault.reason, fault.message);
  }

  #refuse(peer: LinkPeer, why: Refusal): Admission {
    this.#deps.refused(peer.address, why.message);
    return { kind: 'refused', ...why };
  }

  #newInlet(name: string): DataInlet {
    const { newId, sha256, window, buffer, clock } = this.#deps;
    const readers = (): readonly LocalEnd[] => this.#deps.readers(name);
    return new DataInlet({ name, readers, newId, sha256, window, buffer, now: () => clock.now() });
  }

  async #sweepUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#deps.sleep(this.#deps.heartbeatMs, signal).catch(() => undefined);
      const now = this.#deps.clock.now();
      for (const inlet of this.#inlets.values()) inlet.sweep(now - this.#limits.memoryMs);
      const isOver = (open: OpenFrame): boolean => (this.#until.get(open) ?? Number.POSITIVE_INFINITY) <= now;
      this.#acceptor.closeWhere(isOver, refusal('draining', 'come again with a new ticket'));
    }
  }
}

interface Refusal {
  readonly reason: CloseReason;
  readonly message: string;
  readonly retryAfterMs: number;
}

function refusal(reason: CloseReason, message: string, retryAfterMs = 0): Refusal {
  return { reason, message, retryAfterMs };
}
