import { Fifo, type Queued } from './fifo.ts';
import type { Kept } from './kept.ts';

/** What has one key, in order. */
export interface Lane extends Queued<Lane> {
  readonly name: string;
  readonly line: Fifo<Kept>;
}

/**
 * Who is next. Lanes take turns, a frame each: one that sends a large message has a chunk, all others their first
 * message. Each lane stands in exactly one of the lines, and what it holds is never looked through.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Their first has not been begun. */
  ready = new Fifo<Lane>();
  /** Their first is sent in chunks. */
  sending = new Fifo<Lane>();
  /** Their first is large, and too many such are under way. */
  #large = new Fifo<Lane>();
  /** Their first is new, and others have to be sent again before it. */
  #later = new Fifo<Lane>();
  /** So many others have a turn before the next chunk. */
  #turns = 0;

  get size(): number {
    return this.#lanes.size;
  }

  add(kept: Kept): void {
    const lane = this.#lanes.get(kept.lane);
    if (lane === undefined) this.ready.push(this.#newLane(kept));
    else lane.line.push(kept);
  }

  /** It goes again, before all else of its lane. Afterwards lanes have to be lined up. */
  putBack(kept: Kept): void {
    const lane = this.#lanes.get(kept.lane);
    if (lane === undefined) this.#newLane(kept);
    else lane.line.unshift(kept);
  }

  /** As at the beginning: nothing is under way. */
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

  /** Is it a chunk's turn? */
  get chunkIsNext(): boolean {
    return this.#turns <= 0 && this.sending.size > 0;
  }

  tookTurn(): void {
    this.#turns -= 1;
  }

  tookChunk(): void {
    this.#turns = this.ready.size;
  }

  /** The first ready one: its message is the next to be begun. A lane that has run empty is forgotten. */
  first(): Lane | undefined {
    for (;;) {
      const lane = this.ready.first;
      if (lane === undefined || lane.line.size > 0) return lane;
      this.ready.shift();
      this.#lanes.delete(lane.name);
    }
  }

  /** The first ready one has begun with chunks. */
  beginChunks(): void {
    this.#move(this.ready, this.sending);
    if (this.sending.size === 1) this.#turns = this.ready.size;
  }

  /** The first message of the first ready lane is through, or gone. */
  passFirst(): void {
    this.#pass(this.ready);
  }

  /** The first chunk of all is sent; another lane is next. */
  passChunk(): void {
    this.#move(this.sending, this.sending);
  }

  /** The first message of the first sending lane is through. */
  endChunks(): void {
    this.#pass(this.sending);
  }

  /** The first ready lane waits until a large message is through. */
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

  /** Takes the first that has not been begun out of its lane: it must be this one. */
  dropWaiting({ lane: name }: Kept): void {
    const line = this.#lanes.get(name)?.line;
    if (line?.first?.state === 'sending') line.removeSecond();
    else line?.shift();
  }

  /** Takes the one that is being sent out of its lane. Afterwards lanes have to be lined up. */
  dropFirst({ lane: name }: Kept): void {
    this.#lanes.get(name)?.line.shift();
  }

  removeWhere(matches: (kept: Kept) => boolean): Kept[] {
    const removed: Kept[] = [];
    for (const { line } of this.#lanes.values()) removed.push(...line.removeWhere(matches));
    return removed;
  }

  /** Everything that is in a lane. */
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
