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

/** Verifies the credentials of other fleetlets. An error here is this fleetlet's fault. */
export interface DataCredentials {
  /** The content of a ticket, if this key (a JWK, as text) has signed it. */
  readTicket(ticket: Uint8Array, key: string): Promise<DataTicket | undefined>;
  /** The fleetlet of a certificate (DER), if one of these authorities (PEM) vouches for it now. */
  fleetletOf(certificate: Uint8Array, authorities: string, now: number): string | undefined;
}

export interface DataInletsDeps {
  readonly credentials: DataCredentials;
  /** The most recent welcome from the platform. */
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
  /** For all channels together. */
  readonly maxSources: number;
  /** How long a disconnected source is remembered. */
  readonly memoryMs: number;
  /** A direct stream has to be reopened after this, with a new ticket. A revoked fleetlet does not get one. */
  readonly directLifeMs: number;
}

const LIMITS: DataInletLimits = { maxSources: 1_000, memoryMs: 10 * 60_000, directLifeMs: 10 * 60_000 };
const NOBODY_MS = 1_000;

/** The reading end of all data channels: accepts their sources, whether they dial directly or come through the platform. */
export class DataInlets {
  readonly #deps: DataInletsDeps;
  readonly #limits: DataInletLimits;
  readonly #inlets = new Map<string, DataInlet>();
  readonly #acceptor: Acceptor;
  /** Peers that come through the platform, which has verified that they are the source named in the ticket. */
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

  /** For the listener that other fleetlets dial. */
  get accept(): AcceptLink {
    return this.#acceptor.accept;
  }

  /** For streams relayed by the platform. */
  readonly acceptRelayed: AcceptLink = (link) => {
    this.#relayed.add(link.peer);
    return this.#acceptor.accept(link);
  };

  get channels(): readonly string[] {
    return [...this.#inlets.keys()];
  }

  /** A reader came or left. Returns true if the channel has its first reader now, or has lost its last. */
  readersChanged(channel: string): boolean {
    const inlet = this.#inlets.get(channel);
    const isRead = this.#deps.readers(channel).length > 0;
    if (inlet === undefined && isRead) this.#inlets.set(channel, this.#newInlet(channel));
    if (inlet !== undefined && isRead) inlet.pump();
    if (inlet !== undefined && !isRead) {
      this.#inlets.delete(channel);
      inlet.close(refusal('unavailable', `${channel} has no readers here any more`, NOBODY_MS));
    }
    return isRead === (inlet === undefined);
  }

  answer(channel: string, message: Inbound): void {
    const inlet = this.#inlets.get(channel);
    if (inlet === undefined) message.ack();
    else inlet.answer(message);
  }

  /** Runs until aborted. */
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
      return this.#refuse(peer, refusal('unknownChannel', `only data channels connect fleetlets, not ${channel}`));
    }
    const source = await this.#sourceOf(open, peer);
    if (typeof source !== 'string') return this.#refuse(peer, source);
    const inlet = this.#inlets.get(channel);
    if (inlet === undefined)
      return { kind: 'refused', ...refusal('unavailable', `${channel} has no readers here`, NOBODY_MS) };
    const size = [...this.#inlets.values()].reduce((sum, each) => sum + each.size, 0);
    if (size >= this.#limits.maxSources && !inlet.knows(source)) {
      return this.#refuse(peer, refusal('tooMany', `${size} sources are connected already`));
    }
    if (!this.#relayed.has(peer)) this.#until.set(open, this.#deps.clock.now() + this.#limits.directLifeMs);
    return { kind: 'channel', channel: inlet.attached(source, open.mode), detached: () => inlet.detached(source) };
  }

  /** The source fleetlet, or why it is refused. */
  async #sourceOf({ channel, ticket }: OpenFrame, peer: LinkPeer): Promise<string | Refusal> {
    const { credentials, welcome, clock } = this.#deps;
    const { ticketKey, authorities, fleetlet: destination } = welcome();
    const isRelayed = this.#relayed.has(peer);
    const { certificate } = peer;
    const proved = certificate && credentials.fleetletOf(certificate, authorities, clock.now());
    if (!isRelayed && proved === undefined) {
      return refusal('unauthenticated', 'no certificate that is valid for this platform was presented');
    }
    const said = ticketKey === '' ? undefined : await credentials.readTicket(ticket, ticketKey);
    if (said === undefined) return refusal('unauthenticated', 'the ticket was not signed by the platform');
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
      this.#acceptor.closeWhere(isOver, refusal('draining', 'reconnect with a new ticket'));
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
