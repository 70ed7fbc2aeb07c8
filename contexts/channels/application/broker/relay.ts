import type { SendVerdict } from '../../domain/channel-acl.ts';
import type { Channel, ChannelHandlers, Inbound } from '../channel.ts';
import { DownRelay } from './down-relay.ts';
import type { LocalEnd } from './local-session.ts';
import { UpRelay } from './up-relay.ts';

export interface RelayDeps {
  /** The one channel to the platform that all local processes share. */
  readonly open: (handlers: ChannelHandlers) => Channel;
  readonly candidates: (message: Inbound) => readonly LocalEnd[];
  readonly verdict: (end: LocalEnd, target: string) => SendVerdict;
  readonly resumed: () => void;
  /** The platform has refused or closed the channel. */
  readonly closed: NonNullable<ChannelHandlers['closed']>;
  readonly now: () => number;
}

interface Unclaimed {
  readonly message: Inbound;
  readonly end: LocalEnd;
  readonly target: string;
  readonly until: number;
}

/** A process that outlived the fleetlet resends its messages at once, while its registration takes a moment. */
const UNCLAIMED_MS = 30_000;

/** One channel between the platform and all local processes that have it open. */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #over = new AbortController();
  readonly channel: Channel;
  readonly down: DownRelay;
  readonly #up: UpRelay;
  #unclaimed: Unclaimed[] = [];
  #refused = 0;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    const { signal } = this.#over;
    this.down = new DownRelay({ candidates: deps.candidates, now: deps.now, signal });
    this.channel = deps.open({
      message: (message) => this.down.take(message),
      resumed: deps.resumed,
      closed: (why) => {
        this.#over.abort();
        deps.closed(why);
      },
    });
    this.#up = new UpRelay(this.channel, signal);
  }

  get counts() {
    return { ...this.down.counts, up: this.#up.counts.handedOn, refused: this.#refused };
  }

  /** Received from a process but not yet accepted by the channel. */
  get waiting(): number {
    return this.#up.waiting + this.#unclaimed.length;
  }

  up(message: Inbound, end: LocalEnd): void {
    const target = message.target === '' ? end.target : message.target;
    const verdict = this.#deps.verdict(end, target);
    if (verdict === 'unclaimed') {
      this.#unclaimed.push({ message, end, target, until: this.#deps.now() + UNCLAIMED_MS });
      return;
    }
    if (verdict === 'refused') return this.#refuse(message);
    this.#up.take(message, { process: end.session.name, target });
  }

  /** A process has registered the target. */
  claimed(target: string): void {
    const theirs = this.#unclaimed.filter((each) => each.target === target);
    this.#unclaimed = this.#unclaimed.filter((each) => each.target !== target);
    for (const { message, end } of theirs) this.up(message, end);
    this.down.pump();
  }

  expire(): void {
    const now = this.#deps.now();
    for (const { message } of this.#unclaimed.filter(({ until }) => until <= now)) this.#refuse(message);
    this.#unclaimed = this.#unclaimed.filter(({ until }) => until > now);
    this.down.expire();
  }

  close(): void {
    this.#over.abort();
    this.channel.close();
  }

  /** Acknowledged all the same: if it were resent, it would be refused again. */
  #refuse(message: Inbound): void {
    this.#refused += 1;
    message.ack();
  }
}
