import { Buffered } from './buffered.ts';
import { Credit } from './credit.ts';
import type { ChannelMemory, ChannelWindow, ChunkFrame, MessageFrame, MessageLimits } from './frame.ts';
import { firstFrame, isOver, type Kept, keep, mayExpire, NO_BYTES } from './kept.ts';
import { Lanes } from './lanes.ts';
import { Losses } from './losses.ts';
import type { Outbound, Settled } from './outbound.ts';
import { receivedInOrder } from './received-ids.ts';

export interface SendQueueOptions {
  readonly lossy: boolean;
  readonly buffer: ChannelWindow;
  readonly limits: MessageLimits;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
}

const CLOSED: ChannelWindow = { messages: 0, bytes: 0 };

/**
 * The sending side of a channel: keeps each message until it is settled, and decides which frame is next. `settled` is called
 * when the queue is consistent again, so the callback may call the queue.
 */
export class SendQueue {
  /** Unsettled messages; of a lossy channel: unsent ones. */
  readonly buffered: Buffered;
  readonly losses = new Losses();
  readonly #options: SendQueueOptions;
  readonly #lanes = new Lanes();
  /** All messages with an id, ascending. */
  readonly #begun = new Map<number, Kept>();
  /** Of a lossy channel: the messages that have not been started, oldest first. */
  readonly #droppable: Set<Kept> | undefined;
  readonly #underWay: Credit;
  #nextId = 1;
  /** How many messages with an id have to be started again. */
  #again = 0;
  #earliestDeadline = Number.POSITIVE_INFINITY;

  constructor(options: SendQueueOptions) {
    this.#options = options;
    this.#droppable = options.lossy ? new Set() : undefined;
    this.buffered = new Buffered(options.buffer);
    this.#underWay = new Credit(CLOSED, options.limits.largeAtOnce);
  }

  /**
   * False when there is no room. A lossy channel drops older messages to make room; if that is not enough, it drops this one.
   */
  offer(message: Outbound, now: number): boolean {
    const size = message.payload.length;
    if (isOver(message, now)) {
      message.settled?.('expired');
      return true;
    }
    const gone = this.buffered.fits(size) ? undefined : this.#makeRoom(size, now);
    const fits = this.buffered.fits(size);
    if (fits) this.#add(message, size);
    else if (this.#options.lossy) this.losses.count();
    if (gone !== undefined) for (const [kept, how] of gone) kept.message.settled?.(how);
    if (!fits && this.#options.lossy) message.settled?.('dropped');
    return fits || this.#options.lossy;
  }

  /** The next frame; `undefined` when there is none or the window is full. */
  next(now: number): MessageFrame | ChunkFrame | undefined {
    if (!this.#lanes.chunkIsNext) {
      const frame = this.#begin(now);
      if (frame !== undefined) return frame;
    }
    return this.#nextChunk();
  }

  /** Returns a sentence when the other end acknowledges a message that it cannot have received. */
  acknowledge(ids: readonly number[]): string | undefined {
    for (const id of ids) {
      const kept = this.#begun.get(id);
      if (kept === undefined) {
        if (id > 0 && id < this.#nextId) continue;
        return `acknowledged ${id}, which was never sent`;
      }
      if (kept.state !== 'sent') return `acknowledged ${id} before all of it was sent`;
      this.#begun.delete(id);
      this.#underWay.giveBack(kept.size, this.#isLarge(kept));
      if (this.#isLarge(kept)) this.#lanes.largeIsThrough();
      this.#settle(kept, 'acknowledged');
    }
    return undefined;
  }

  /**
   * Continues with an end that remembers this one: only what it has not received is resent. On a fault returns a sentence and
   * changes nothing.
   */
  resume(memory: ChannelMemory, window: ChannelWindow): string | undefined {
    const highest = Math.max(memory.receivedUpTo, memory.receivedAbove.at(-1) ?? 0);
    if (highest >= this.#nextId) return `remembers ${highest}, which was never sent`;
    const received = receivedInOrder(memory);
    const unacknowledged = new Set(memory.unacknowledged);
    const acknowledged: Kept[] = [];
    const missed: Kept[] = [];
    this.#newStream(window);
    for (const kept of this.#begun.values()) {
      if (kept.state !== 'sent' || !received(kept.id)) missed.push(kept);
      else if (unacknowledged.has(kept.id)) this.#underWay.take(kept.size, this.#isLarge(kept));
      else acknowledged.push(kept);
    }
    for (const { id } of acknowledged) this.#begun.delete(id);
    const lost = this.#options.lossy ? this.#lose(missed) : this.#sendAgain(missed);
    for (const kept of acknowledged) this.#settle(kept, 'acknowledged');
    for (const kept of lost) this.#settle(kept, 'dropped');
    return undefined;
  }

  /**
   * Starts over with an end that remembers nothing: resends everything, and marks messages that were sent before as
   * `redelivered`.
   */
  restart(window: ChannelWindow): void {
    const begun = [...this.#begun.values()];
    this.#newStream(window);
    const lost = this.#options.lossy ? this.#lose(begun) : this.#sendAgain(begun);
    for (const kept of begun) {
      kept.id = 0;
      kept.redelivered ||= kept.wasSent;
    }
    this.#begun.clear();
    this.#again = 0;
    this.#nextId = 1;
    for (const kept of lost) this.#settle(kept, 'dropped');
  }

  close(): void {
    const left = [...[...this.#begun.values()].filter(({ state }) => state === 'sent'), ...this.#lanes.all()];
    this.#begun.clear();
    this.#lanes.clear();
    this.#droppable?.clear();
    this.#newStream(CLOSED);
    for (const kept of left) this.#settle(kept, 'closed');
  }

  /** The first message whose turn it is and that may be sent. */
  #begin(now: number): MessageFrame | undefined {
    for (let lane = this.#lanes.first(); lane !== undefined; lane = this.#lanes.first()) {
      const kept = lane.line.first;
      if (kept === undefined) return undefined;
      if (mayExpire(kept) && isOver(kept.message, now)) this.#expireFirst(kept);
      else if (kept.id === 0 && this.#again > 0) this.#lanes.waitForOld();
      else if (!this.#underWay.hasPlace) return undefined;
      else if (!this.#isLarge(kept)) return this.#underWay.hasBytes(kept.size) ? this.#sendSmall(kept) : undefined;
      else if (this.#underWay.hasPlaceForLarge) return this.#beginLarge(kept);
      else this.#lanes.waitForLarge();
    }
    return undefined;
  }

  #sendSmall(kept: Kept): MessageFrame {
    this.#give(kept);
    const frame = firstFrame(kept, false);
    this.#lanes.passFirst();
    this.#sentWhole(kept);
    return frame;
  }

  #beginLarge(kept: Kept): MessageFrame {
    if (kept.sha256.length === 0) kept.sha256 = this.#options.sha256(kept.payload);
    this.#give(kept);
    kept.state = 'sending';
    kept.offset = 0;
    this.#lanes.beginChunks();
    return firstFrame(kept, true);
  }

  #nextChunk(): ChunkFrame | undefined {
    const kept = this.#lanes.sending.first?.line.first;
    if (kept === undefined) return undefined;
    const offset = kept.offset;
    const data = kept.payload.subarray(offset, offset + this.#options.limits.chunkBytes);
    kept.offset += data.length;
    if (kept.offset < kept.size) {
      this.#lanes.passChunk();
    } else {
      this.#lanes.endChunks();
      this.#sentWhole(kept);
    }
    this.#lanes.tookChunk();
    return { kind: 'chunk', id: kept.id, offset, data };
  }

  /** Assigns an id if the message has none, a place in the window, and the losses that it reports. */
  #give(kept: Kept): void {
    if (kept.id === 0) {
      kept.id = this.#nextId;
      this.#nextId += 1;
      this.#begun.set(kept.id, kept);
      this.#droppable?.delete(kept);
    } else {
      this.#again -= 1;
      if (this.#again === 0) this.#lanes.oldAreThrough();
    }
    this.#underWay.take(kept.size, this.#isLarge(kept));
    this.#lanes.tookTurn();
    kept.reported = this.losses.tell();
  }

  #sentWhole(kept: Kept): void {
    kept.state = 'sent';
    kept.wasSent = true;
    if (!this.#options.lossy) return;
    this.buffered.release(kept.size);
    kept.payload = NO_BYTES;
  }

  #newStream({ messages, bytes }: ChannelWindow): void {
    const { buffer } = this.#options;
    // Sent messages stay in memory, so the buffer bounds them as well: a generous window of the other end must not decide how
    // many.
    this.#underWay.reset({ messages: Math.min(messages, buffer.messages), bytes: Math.min(bytes, buffer.bytes) });
  }

  /** In order, and before everything that has never been sent. */
  #sendAgain(missed: readonly Kept[]): readonly Kept[] {
    for (const kept of missed.toReversed()) {
      if (kept.state === 'sent') this.#lanes.putBack(kept);
      kept.state = 'waiting';
    }
    this.#again = missed.length;
    this.#lanes.lineUp();
    return [];
  }

  #lose(missed: readonly Kept[]): readonly Kept[] {
    for (const kept of missed) {
      this.#begun.delete(kept.id);
      if (kept.state === 'sending') this.#lanes.dropFirst(kept);
      this.losses.count(kept.reported);
    }
    this.#lanes.lineUp();
    return missed;
  }

  #add(message: Outbound, size: number): void {
    const kept = keep(message);
    this.buffered.take(size);
    this.#lanes.add(kept);
    this.#droppable?.add(kept);
    this.#noteDeadline(message);
  }

  /** The messages that make room, and how each is settled. */
  #makeRoom(size: number, now: number): [Kept, Settled][] {
    const gone: [Kept, Settled][] = now < this.#earliestDeadline ? [] : this.#takeExpired(now);
    for (const kept of this.#droppable ?? []) {
      if (this.buffered.fits(size)) break;
      this.#lanes.dropWaiting(kept);
      this.#forget(kept);
      this.losses.count();
      gone.push([kept, 'dropped']);
    }
    return gone;
  }

  /** Scans all messages, but only once for each earliest deadline. */
  #takeExpired(now: number): [Kept, Settled][] {
    const expired = this.#lanes.removeWhere((kept) => mayExpire(kept) && isOver(kept.message, now));
    for (const kept of expired) this.#forget(kept);
    this.#earliestDeadline = Number.POSITIVE_INFINITY;
    for (const kept of this.#lanes.all()) if (mayExpire(kept)) this.#noteDeadline(kept.message);
    return expired.map((kept) => [kept, 'expired']);
  }

  #noteDeadline({ deadline = 0 }: Outbound): void {
    if (deadline > 0) this.#earliestDeadline = Math.min(this.#earliestDeadline, deadline);
  }

  #expireFirst(kept: Kept): void {
    this.#lanes.passFirst();
    this.#settle(kept, 'expired');
  }

  #settle(kept: Kept, how: Settled): void {
    this.#forget(kept);
    kept.message.settled?.(how);
  }

  #forget(kept: Kept): void {
    this.#droppable?.delete(kept);
    // A lossy channel released the message when it was sent.
    if (!this.#options.lossy || !kept.wasSent) this.buffered.release(kept.size);
  }

  #isLarge({ size }: Kept): boolean {
    return size > this.#options.limits.chunkBytes;
  }
}
