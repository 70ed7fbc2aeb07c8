import { Fifo, type Queued } from './fifo.ts';
import type { Kept } from './kept.ts';

/** The messages of one key, in order. */
export interface Lane extends Queued<Lane> {
  readonly name: string;
  readonly line: Fifo<Kept>;
}

/**
 * Decides which message is sent next. Lanes take turns, one frame each: a lane in the middle of a large message sends one
 * chunk, any other lane its first message. Each lane is in exactly one queue, and its contents are never scanned.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Lanes whose first message has not been started. */
  ready = new Fifo<Lane>();
  /** Lanes whose first message is being sent in chunks. */
  sending = new Fifo<Lane>();
  /** Lanes whose first message is large and has to wait: too many large ones are in flight. */
  #large = new Fifo<Lane>();
  /** Lanes whose first message is new and has to wait until all resends are started. */
  #later = new Fifo<Lane>();
  /** How many other lanes have a turn before the next chunk. */
  #turns = 0;

  get size(): number {
    return this.#lanes.size;
  }

  add(kept: Kept): void {
    const lane = this.#lanes.get(kept.lane);
    if (lane === undefined) this.ready.push(this.#newLane(kept));
    else lane.line.push(kept);
  }

  /** Queues a message for resending, ahead of everything else in its lane. Call `lineUp` afterwards. */
  putBack(kept: Kept): void {
    const lane = this.#lanes.get(kept.lane);
    if (lane === undefined) this.#newLane(kept);
    else lane.line.unshift(kept);
  }

  /** Resets all queues to the initial state: nothing is in flight. */
  lineUp(): void {
    this.ready = new Fifo();
    this.sending = new Fifo();
    this.#large = new Fifo();
    this.#later = new Fifo();
    this.#turns = 0;
    for (const lane of this.#lanes.values()) {
      lane.next = undefined;
      this.ready.push(lane);
    }
  }

  get chunkIsNext(): boolean {
    return this.#turns <= 0 && this.sending.size > 0;
  }

  tookTurn(): void {
    this.#turns -= 1;
  }

  tookChunk(): void {
    this.#turns = this.ready.size;
  }

  /** The first ready lane: its first message is the next to be started. Forgets lanes that have run empty. */
  first(): Lane | undefined {
    for (;;) {
      const lane = this.ready.first;
      if (lane === undefined || lane.line.size > 0) return lane;
      this.ready.shift();
      this.#lanes.delete(lane.name);
    }
  }

  /** The first ready lane has started to send chunks. */
  beginChunks(): void {
    this.#move(this.ready, this.sending);
    if (this.sending.size === 1) this.#turns = this.ready.size;
  }

  /** The first message of the first ready lane was sent or removed. */
  passFirst(): void {
    this.#pass(this.ready);
  }

  /** One chunk was sent; the next chunk comes from another lane. */
  passChunk(): void {
    this.#move(this.sending, this.sending);
  }

  /** The first message of the first sending lane was sent completely. */
  endChunks(): void {
    this.#pass(this.sending);
  }

  /** The first ready lane waits until a large message is acknowledged. */
  waitForLarge(): void {
    this.#move(this.ready, this.#large);
  }

  largeIsThrough(): void {
    this.#move(this.#large, this.ready);
  }

  waitForOld(): void {
    this.#move(this.ready, this.#later);
  }

  oldAreThrough(): void {
    while (this.#later.size > 0) this.#move(this.#later, this.ready);
  }

  /** Removes the first unstarted message of a lane, which must be this one. */
  dropWaiting({ lane: name }: Kept): void {
    const line = this.#lanes.get(name)?.line;
    if (line?.first?.state === 'sending') line.removeSecond();
    else line?.shift();
  }

  /** Removes the message that is being sent from its lane. Call `lineUp` afterwards. */
  dropFirst({ lane: name }: Kept): void {
    this.#lanes.get(name)?.line.shift();
  }

  removeWhere(matches: (kept: Kept) => boolean): Kept[] {
    const removed: Kept[] = [];
    for (const { line } of this.#lanes.values()) removed.push(...line.removeWhere(matches));
    return removed;
  }

  *all(): Iterable<Kept> {
    for (const { line } of this.#lanes.values()) {
      for (let kept = line.first; kept !== undefined; kept = kept.next) yield kept;
    }
  }

  clear(): void {
    this.#lanes.clear();
    this.lineUp();
  }

  #newLane(kept: Kept): Lane {
    const lane: Lane = { name: kept.lane, line: new Fifo<Kept>(), next: undefined };
    lane.line.push(kept);
    this.#lanes.set(lane.name, lane);
    return lane;
  }

  #pass(from: Fifo<Lane>): void {
    const lane = from.shift();
    if (lane === undefined) return;
    lane.line.shift();
    if (lane.line.size > 0) this.ready.push(lane);
    else this.#lanes.delete(lane.name);
  }

  #move(from: Fifo<Lane>, to: Fifo<Lane>): void {
    const lane = from.shift();
    if (lane !== undefined) to.push(lane);
  }
}
