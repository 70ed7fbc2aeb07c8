import {
  type CloseFrame,
  type CloseReason,
  type Frame,
  OLDEST_PROTOCOL_VERSION,
  type OpenFrame,
  PROTOCOL_VERSION,
} from '../domain/frame.ts';
import type { ChannelHandlers, Inbound, LinkedChannel } from './channel.ts';
import { LEAD_CHANNEL } from './heartbeat.ts';
import type { FrameLink, LinkConnection, LinkHandlers } from './link.ts';
import type { UplinkConnection, UplinkStream } from './uplink-connection.ts';

type Why = Omit<CloseFrame, 'kind'>;

/** State shared by all streams of one channel, which appear as a single channel to its handlers. */
export class UplinkChannel {
  readonly #handlers: ChannelHandlers;
  readonly #streams: ChannelStream[] = [];
  #owesResumed = false;
  #closed = false;

  constructor(handlers: ChannelHandlers) {
    this.#handlers = handlers;
  }

  add(stream: ChannelStream): void {
    this.#streams.push(stream);
  }

  begin(): void {
    for (const stream of this.#streams) stream.begin();
  }

  ofShard(shard: number): ChannelHandlers {
    return {
      message: (message: Inbound) => this.#handlers.message(message),
      resumed: () => {
        this.#owesResumed = true;
        this.opened();
      },
      closed: (why) => this.#close(shard, why),
    };
  }

  /** Reports `resumed` once all streams are back: a report per stream would repeat the full resync for each. */
  opened(): void {
    if (!this.#owesResumed || !this.#streams.every((stream) => stream.isOpen)) return;
    this.#owesResumed = false;
    this.#handlers.resumed?.();
  }

  /** The other end reports that it was cut off from the next hop. */
  resumed(): void {
    this.#handlers.resumed?.();
  }

  #close(shard: number, why: Why): void {
    this.#streams[shard]?.remove();
    if (this.#closed) return;
    this.#closed = true;
    for (const stream of this.#streams) stream.closeChannel(why);
    this.#handlers.closed?.(why);
  }
}

export interface ChannelStreamDeps {
  readonly channel: LinkedChannel;
  readonly shared: UplinkChannel;
  readonly connection: UplinkConnection;
  readonly open: Omit<OpenFrame, 'kind' | 'version' | 'oldestVersion' | 'memory' | 'window'>;
}

/** A channel, or a shard of one, on one stream after the other. */
export class ChannelStream implements UplinkStream {
  readonly #deps: ChannelStreamDeps;
  #current: Attempt | undefined;
  #phase: 'away' | 'opening' | 'open' | 'waiting' = 'away';
  #connection: LinkConnection | undefined;
  #attempt = 0;
  #since = 0;
  #retryAt = 0;

  constructor(deps: ChannelStreamDeps) {
    this.#deps = deps;
  }

  get isLead(): boolean {
    return this.#deps.open.channel === LEAD_CHANNEL;
  }

  get isOpen(): boolean {
    return this.#phase === 'open';
  }

  begin(): void {
    this.#deps.connection.add(this);
  }

  remove(): void {
    this.#current?.link.close({ reason: 'done', message: '', retryAfterMs: 0 });
    this.#current = undefined;
    this.#phase = 'away';
    this.#deps.connection.remove(this);
  }

  closeChannel(why: Why): void {
    this.#deps.channel.close(why);
  }

  connected(connection: LinkConnection): void {
    this.#connection = connection;
    this.#open(connection);
  }

  lost(): void {
    this.#connection = undefined;
    const attempt = this.#current;
    this.#current = undefined;
    this.#phase = 'away';
    this.#deps.channel.detach(attempt?.link);
  }

  tend(now: number): number {
    if (this.#phase === 'waiting') return this.#tendWaiting(now);
    if (this.#phase !== 'opening') return Number.POSITIVE_INFINITY;
    const until = this.#since + this.#deps.connection.pace.openWithinMs;
    const attempt = this.#current;
    if (now < until || !attempt) return until;
    attempt.link.destroy();
    // That schedules a retry, which runs when the connection is tended again, immediately.
    this.closed(attempt, undefined);
    return now;
  }

  #tendWaiting(now: number): number {
    if (now < this.#retryAt) return this.#retryAt;
    if (this.#connection) this.#open(this.#connection);
    return this.#since + this.#deps.connection.pace.openWithinMs;
  }

  ping(nonce: number): boolean {
    if (this.#phase !== 'open') return false;
    this.#current?.link.send({ kind: 'ping', nonce });
    return true;
  }

  frame(attempt: Attempt, frame: Frame): void {
    if (this.#current !== attempt) return;
    this.#deps.connection.heartbeat.heard = true;
    switch (frame.kind) {
      case 'message':
      case 'chunk':
      case 'ack':
        if (this.#phase === 'open') this.#deps.channel.frame(frame);
        else this.#unexpected(attempt, frame);
        return;
      case 'ping':
        attempt.link.send({ kind: 'pong', nonce: frame.nonce });
        return;
      case 'pong':
        return;
      case 'resumed':
        this.#deps.shared.resumed();
        return;
      case 'opened':
        if (this.#phase === 'opening') this.#opened(attempt.link, frame);
        else this.#unexpected(attempt, frame);
        return;
      case 'open':
      case 'bytes':
      case 'close':
        this.#unexpected(attempt, frame);
    }
  }

  room(attempt: Attempt): void {
    if (this.#current === attempt && this.#phase === 'open') this.#deps.channel.hasRoom();
  }

  closed(attempt: Attempt, why: Why | undefined): void {
    if (this.#current !== attempt) return;
    const { channel, connection } = this.#deps;
    const now = connection.clock.now();
    if (this.#phase === 'open' && now - this.#since >= connection.pace.stableMs) this.#attempt = 0;
    if (this.#phase === 'opening' && why && !this.isLead) connection.turnedAway(why);
    this.#current = undefined;
    this.#phase = 'waiting';
    channel.detach(attempt.link);
    if (this.isLead) {
      this.#phase = 'away';
      connection.leadClosed(why);
      return;
    }
    if (why && this.#isForGood(why.reason)) {
      channel.close(why);
      return;
    }
    this.#attempt += 1;
    this.#retryAt = now + (why?.retryAfterMs ?? 0) + connection.delay(this.#attempt);
    connection.hurry();
  }

  malformed(message: string): void {
    this.#deps.connection.malformed(message);
  }

  #open(connection: LinkConnection): void {
    const { channel, open } = this.#deps;
    const { memory, window } = channel.handshake();
    const attempt = new Attempt(this, connection);
    this.#current = attempt;
    this.#phase = 'opening';
    this.#since = this.#deps.connection.clock.now();
    attempt.link.send({
      kind: 'open',
      version: PROTOCOL_VERSION,
      oldestVersion: OLDEST_PROTOCOL_VERSION,
      ...open,
      memory,
      window,
    });
    this.#deps.connection.hurry();
  }

  #opened(link: FrameLink, other: Frame & { kind: 'opened' }): void {
    const { channel, connection, shared } = this.#deps;
    this.#phase = 'open';
    this.#since = connection.clock.now();
    connection.opened();
    channel.attach(link, other);
    shared.opened();
    if (!this.isLead) return;
    link.keepShort?.();
    connection.leadOpened();
  }

  #unexpected(attempt: Attempt, frame: Frame): void {
    const why: Why = { reason: 'malformed', message: `${frame.kind} is not expected here`, retryAfterMs: 0 };
    this.malformed(why.message);
    attempt.link.close(why);
    this.closed(attempt, undefined);
  }

  /** A session that is no longer accepted learns that on `control`. Only a stream with its own ticket is judged by itself. */
  #isForGood(reason: CloseReason): boolean {
    if (reason === 'unauthenticated' || reason === 'revoked') return this.#deps.open.ticket.length > 0;
    return FOR_GOOD.has(reason);
  }
}

const FOR_GOOD: ReadonlySet<CloseReason> = new Set([
  'done',
  'forbidden',
  'unknownChannel',
  'unknownTarget',
  'version',
  'malformed',
  'tooLarge',
]);

/** One stream. Events of a former stream must not be taken for the current one's. */
class Attempt implements LinkHandlers {
  readonly #owner: ChannelStream;
  readonly link: FrameLink;
  #wasMalformed = false;

  constructor(owner: ChannelStream, connection: LinkConnection) {
    this.#owner = owner;
    this.link = connection.open(this);
  }

  frame(frame: Frame): void {
    this.#owner.frame(this, frame);
  }

  room(): void {
    this.#owner.room(this);
  }

  /** A malformed frame counts as a cut: only a close frame of the other end closes a channel permanently. */
  closed(why: Why | undefined): void {
    this.#owner.closed(this, this.#wasMalformed ? undefined : why);
  }

  malformed(message: string): void {
    this.#wasMalformed = true;
    this.#owner.malformed(message);
  }
}
