import type { Framed } from './event-frame.ts';
import type { EventRecord } from './event-source.ts';

export interface WindowLimits {
  readonly maxEvents: number;
  readonly maxChars: number;
}

/** The newest events: all after `floor`, up to `head`. The oldest are dropped when there is no room. */
export class EventWindow<Event extends EventRecord> {
  readonly #limits: WindowLimits;
  #events: Framed<Event>[] = [];
  #chars = 0;
  #floor: number;
  #head: number;

  constructor(position: number, limits: WindowLimits) {
    this.#floor = position;
    this.#head = position;
    this.#limits = limits;
  }

  get floor(): number {
    return this.#floor;
  }

  get head(): number {
    return this.#head;
  }

  append(events: readonly Framed<Event>[]): void {
    for (const framed of events) {
      this.#events.push(framed);
      this.#chars += framed.frame.length;
      this.#head = framed.event.position;
    }
    let excess = 0;
    while (this.#isTooMuch(excess)) {
      this.#chars -= this.#events[excess]?.frame.length ?? 0;
      excess += 1;
    }
    this.#floor = this.#events[excess - 1]?.event.position ?? this.#floor;
    this.#events = this.#events.slice(excess);
  }

  after(position: number, limit: number): readonly Framed<Event>[] {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.event.position ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low, low + limit);
  }

  #isTooMuch(dropped: number): boolean {
    const left = this.#events.length - dropped;
    return left > 0 && (left > this.#limits.maxEvents || this.#chars > this.#limits.maxChars);
  }
}
