import { Notifier, type Sleep } from '#kit/std';
import type { HttpLog } from '../ports.ts';
import { type Framed, frameEvent } from './event-frame.ts';
import type { EventIds } from './event-ids.ts';
import type { EventRecord, EventSource } from './event-source.ts';
import { EventWindow, type WindowLimits } from './event-window.ts';

export interface TailLimits extends WindowLimits {
  /** Polling interval, in case an announcement was lost. */
  readonly pollMs: number;
  readonly retryMs: number;
}

export interface TailDeps<Event extends EventRecord> {
  readonly source: EventSource<Event>;
  readonly view: (event: Event) => object;
  readonly ids: EventIds;
  readonly sleep: Sleep;
  readonly log: HttpLog;
  readonly limits?: Partial<TailLimits>;
}

export interface TailPage<Event extends EventRecord> {
  readonly events: readonly Framed<Event>[];
  /** Everything up to here is in this page or does not exist. */
  readonly upTo: number;
}

export interface TailReader<Event extends EventRecord> {
  /** Some of the events after the position, possibly none; `undefined` if some of them have been purged. */
  page(after: number, signal: AbortSignal): Promise<TailPage<Event> | undefined>;
  /** Resolves when there are events after the position, or when the time is over. */
  waitBeyond(after: number, ms: number, signal: AbortSignal): Promise<void>;
}

const DEFAULT_LIMITS: TailLimits = { maxEvents: 1000, maxChars: 8 * 1024 * 1024, pollMs: 15_000, retryMs: 1000 };
const PAGE = 100;

/**
 * The newest events, read from the source once for all readers. Readers have no queue: each has a position, and asks
 * for the events after it. A reader that is behind the window reads from the source until it has caught up. Without
 * readers, nothing is held and nothing is read.
 */
export class EventTail<Event extends EventRecord> {
  readonly #deps: TailDeps<Event>;
  #current: Following<Event> | undefined;

  constructor(deps: TailDeps<Event>) {
    this.#deps = deps;
  }

  /** Follows the source while the body runs, shared with all other readers. */
  async follow<T>(body: (reader: TailReader<Event>) => Promise<T>): Promise<T> {
    this.#current ??= new Following(this.#deps);
    const following = this.#current;
    following.readers += 1;
    try {
      await following.begun;
      return await body(following);
    } finally {
      following.readers -= 1;
      if (following.readers === 0) {
        following.stop();
        if (this.#current === following) this.#current = undefined;
      }
    }
  }
}

class Following<Event extends EventRecord> implements TailReader<Event> {
  readers = 0;
  readonly begun: Promise<void>;
  readonly #deps: TailDeps<Event>;
  readonly #limits: TailLimits;
  readonly #announced: Notifier;
  readonly #appended: Notifier;
  readonly #stop = new AbortController();
  readonly #unsubscribe: () => void;
  #window: EventWindow<Event>;

  constructor(deps: TailDeps<Event>) {
    this.#deps = deps;
    this.#limits = { ...DEFAULT_LIMITS, ...deps.limits };
    this.#announced = new Notifier(deps.sleep);
    this.#appended = new Notifier(deps.sleep);
    this.#window = new EventWindow(0, this.#limits);
    this.#unsubscribe = deps.source.onAdvanced(() => {
      this.#announced.notify();
    });
    this.begun = this.#begin();
  }

  stop(): void {
    this.#unsubscribe();
    this.#stop.abort();
  }

  async page(after: number, signal: AbortSignal): Promise<TailPage<Event> | undefined> {
    const { floor, head } = this.#window;
    if (after < floor) return await this.#readBehind(after, floor, signal);
    const events = this.#window.after(after, PAGE);
    return { events, upTo: events.at(-1)?.event.position ?? Math.max(after, head) };
  }

  async waitBeyond(after: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#window.head <= after) await this.#appended.wait(ms, signal);
  }

  async #readBehind(after: number, floor: number, signal: AbortSignal): Promise<TailPage<Event> | undefined> {
    const { source } = this.#deps;
    const found = await source.readEvents({ after, limit: PAGE }, signal);
    // Read after the events: if any of them had been purged before, it would show now.
    const oldest = (await source.oldestPosition(signal)) ?? floor + 1;
    if (after < oldest - 1) return undefined;
    const upTo = found.at(-1)?.position ?? after;
    return { events: this.#frame(found), upTo: found.length < PAGE ? Math.max(upTo, floor) : upTo };
  }

  async #begin(): Promise<void> {
    this.#window = new EventWindow(await this.#deps.source.lastPosition(this.#stop.signal), this.#limits);
    // Ends with `stop`; errors of the source are handled inside.
    this.#run(this.#stop.signal).catch((err: unknown) => this.#deps.log.error({ err }, 'event tail failed'));
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const caughtUp = await this.#catchUp(signal);
      try {
        if (!caughtUp) await this.#deps.sleep(this.#limits.retryMs, signal);
        else await this.#announced.wait(this.#limits.pollMs, signal);
      } catch {
        return;
      }
    }
  }

  async #catchUp(signal: AbortSignal): Promise<boolean> {
    try {
      for (;;) {
        const found = await this.#deps.source.readEvents({ after: this.#window.head, limit: PAGE }, signal);
        this.#window.append(this.#frame(found));
        if (found.length > 0) this.#appended.notify();
        if (found.length < PAGE) return true;
      }
    } catch (err) {
      if (!signal.aborted) this.#deps.log.warn({ err }, 'reading events failed; retrying');
      return false;
    }
  }

  #frame(events: readonly Event[]): Framed<Event>[] {
    const { view, ids } = this.#deps;
    return events.map((event) => frameEvent(event, view(event), ids.write(event.position)));
  }
}
