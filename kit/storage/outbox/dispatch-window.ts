import { assertNever } from '#kit/std';
import type { Outcome } from './after-failure.ts';

interface Keyed {
  readonly position: number;
  readonly key: string;
}

/**
 * The stored state of an event that is read from the log. `free`: it can be handled. `held`: an earlier event of its
 * key waits for a retry. `recorded`: it was already deferred or given up, by a process that then died.
 */
export type Standing = 'free' | 'held' | 'recorded';

export interface Arrival<E> {
  readonly event: E;
  readonly standing: Standing;
}

/** An event and the number of its failures so far. */
export interface Attempted<E> {
  readonly event: E;
  readonly attempts: number;
}

/** An event that can be handled now. */
export interface Turn<E> extends Attempted<E> {
  readonly lane: Lane<E>;
}

/** The events of one key, one at a time. `fresh` events hold back the cursor; `deferred` events have rows of their own. */
interface Lane<E> {
  readonly key: string;
  readonly isResumed: boolean;
  kind: 'fresh' | 'deferred';
  running: Attempted<E> | undefined;
  waiting: Attempted<E>[];
}

interface Deferred<E> extends Attempted<E> {
  /** The last failure; an event that waits behind another has none. */
  readonly error?: string;
}

/** Changes to be written in one commit. */
export interface Progress<E> {
  /** Every event up to here is handled, or has a row with its state. */
  readonly cursor: number;
  /** Rows to insert or update, by position. */
  readonly deferred: ReadonlyMap<number, Deferred<E>>;
  /** Positions whose deferred rows can be deleted. */
  readonly settled: readonly number[];
  /** Keys with deferred events, and when the first of them is due. */
  readonly held: ReadonlyMap<string, number>;
  /** Keys that are no longer held, unless they have deferred events left. */
  readonly freed: ReadonlySet<string>;
  readonly dead: readonly (Attempted<E> & { readonly error: string })[];
}

export interface WindowOptions {
  readonly cursor: number;
  /**
   * Rows of earlier sessions reach up to here. Events that were handled beyond the cursor are handled again. No held
   * key is resumed before the log is read this far: otherwise a later event of the key would be handled before the
   * repeated one.
   */
  readonly recordedThrough: number;
  /** Maximum number of events between the cursor and the last event read. */
  readonly size: number;
  readonly concurrency: number;
}

/**
 * Decides for one consumer which events can be handled now and what is to be recorded. It does no I/O and has no clock.
 *
 * Order: an event is handed out when every earlier event of its key was handled or given up. Keys do not wait for each
 * other: a failed event is deferred together with the following events of its key, and `spill` defers the events of
 * slow keys.
 */
export class DispatchWindow<E extends Keyed> {
  readonly #options: WindowOptions;
  readonly #lanes = new Map<string, Lane<E>>();
  readonly #ready = { fresh: new Set<Lane<E>>(), deferred: new Set<Lane<E>>() };
  #running = 0;
  #resumed = 0;
  /** Positions after the cursor that are in a lane, in order, and whether they are finished. */
  readonly #span = new Map<number, boolean>();
  #last: 'fresh' | 'deferred' = 'deferred';
  #fetched: number;
  #recorded: number;
  #handled = false;
  #next = emptyProgress<E>();

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#fetched = options.cursor;
    this.#recorded = options.cursor;
  }

  /** Events up to here were read. */
  get fetched(): number {
    return this.#fetched;
  }

  get room(): number {
    return this.#options.size - this.#span.size;
  }

  get running(): number {
    return this.#running;
  }

  get hasFreeSlot(): boolean {
    return this.running < this.#options.concurrency;
  }

  /** How many held keys may be resumed: at most half of the slots, so that a storm of failures leaves room for other keys. */
  get deferredRoom(): number {
    if (this.#fetched < this.#options.recordedThrough) return 0;
    return Math.max(1, Math.floor(this.#options.concurrency / 2)) - this.#resumed;
  }

  /**
   * Whether an event was handled or deferred since the last record. A cursor that only moved past events of other types
   * can wait.
   */
  get hasNews(): boolean {
    return this.hasRows || (this.#handled && this.#cursor() > this.#recorded);
  }

  /** Whether there are rows to write, not just the cursor. They must be written before more events are admitted. */
  get hasRows(): boolean {
    const { deferred, settled, held, dead } = this.#next;
    return deferred.size + settled.length + held.size + dead.length > 0;
  }

  get hasMoved(): boolean {
    return this.hasNews || this.#cursor() > this.#recorded;
  }

  isBusy(key: string): boolean {
    return this.#lanes.has(key);
  }

  /** Adds the events read after `fetched`; up to `through` the log has no others for this consumer. */
  admit(arrivals: readonly Arrival<E>[], through: number): void {
    this.#checkRecorded();
    for (const { event, standing } of arrivals) {
      if (standing === 'recorded') continue;
      if (standing === 'held') {
        this.#next.deferred.set(event.position, { event, attempts: 0 });
        continue;
      }
      this.#span.set(event.position, false);
      const lane = this.#lanes.get(event.key) ?? this.#open({ key: event.key, isResumed: false });
      this.#enqueue(lane, [{ event, attempts: 0 }]);
    }
    this.#fetched = through;
  }

  /** Resumes a held key that is due, with the first of its deferred events in order. */
  resume(key: string, events: readonly Attempted<E>[]): void {
    this.#checkRecorded();
    if (this.#lanes.has(key)) throw new Error(`key ${key} is resumed while it is busy`);
    if (events.length === 0) return;
    this.#enqueue(this.#open({ key, isResumed: true }), events);
    this.#resumed += 1;
  }

  /** The next event to handle, if there is one and a free slot. */
  start(): Turn<E> | undefined {
    const lane = this.hasFreeSlot ? this.#pick() : undefined;
    const attempted = lane?.waiting.shift();
    if (lane === undefined || attempted === undefined) return undefined;
    this.#ready[lane.kind].delete(lane);
    lane.running = attempted;
    this.#running += 1;
    this.#last = lane.kind;
    return { ...attempted, lane };
  }

  settle({ lane, event, attempts }: Turn<E>, outcome: Outcome, now: number): void {
    lane.running = undefined;
    this.#running -= 1;
    this.#handled = true;
    switch (outcome.kind) {
      case 'done':
        this.#finish(lane, event, now);
        break;
      case 'dead':
        this.#next.dead.push({ event, attempts: outcome.attempts, error: outcome.error });
        this.#finish(lane, event, now);
        break;
      case 'retry':
        this.#setAside(lane, { event, attempts: outcome.attempts, error: outcome.error }, outcome.at);
        break;
      default:
        assertNever(outcome, `outcome after ${attempts} attempts`);
    }
    this.#advance();
    if (lane.waiting.length > 0) this.#ready[lane.kind].add(lane);
    else this.#close(lane);
  }

  /**
   * Makes room when slow lanes fill the window: their events become deferred, due at once. Running handlers continue,
   * and their keys stay busy until they are done.
   */
  spill(now: number): void {
    for (const lane of this.#lanes.values()) {
      if (lane.kind === 'deferred') continue;
      const { running } = lane;
      this.#setAside(lane, running ?? lane.waiting.shift(), now);
      this.#ready.fresh.delete(lane);
      lane.kind = 'deferred';
      if (running === undefined) this.#close(lane);
    }
    this.#advance();
  }

  /** Returns the changes to be written; from then on they count as written. */
  record(): Progress<E> {
    const progress = { ...this.#next, cursor: this.#cursor() };
    this.#next = emptyProgress();
    this.#recorded = progress.cursor;
    this.#handled = false;
    return progress;
  }

  /** The stored state of events and keys is valid only when every decision made here has been written. */
  #checkRecorded(): void {
    if (this.hasRows) throw new Error('events cannot be admitted while there are rows to record');
  }

  #open({ key, isResumed }: { key: string; isResumed: boolean }): Lane<E> {
    const lane: Lane<E> = { key, isResumed, kind: isResumed ? 'deferred' : 'fresh', running: undefined, waiting: [] };
    this.#lanes.set(key, lane);
    return lane;
  }

  #close(lane: Lane<E>): void {
    this.#lanes.delete(lane.key);
    if (lane.isResumed) this.#resumed -= 1;
  }

  #enqueue(lane: Lane<E>, events: readonly Attempted<E>[]): void {
    lane.waiting.push(...events);
    if (lane.running === undefined) this.#ready[lane.kind].add(lane);
  }

  /** Alternates, so that neither kind waits until the other is empty. */
  #pick(): Lane<E> | undefined {
    const [fresh] = this.#ready.fresh;
    const [deferred] = this.#ready.deferred;
    if (fresh === undefined || deferred === undefined) return fresh ?? deferred;
    return this.#last === 'deferred' ? fresh : deferred;
  }

  #finish(lane: Lane<E>, event: E, now: number): void {
    if (lane.kind === 'fresh') {
      this.#span.set(event.position, true);
      return;
    }
    this.#next.settled.push(event.position);
    this.#next.held.set(lane.key, now);
    this.#next.freed.add(lane.key);
  }

  /** Defers the event and the following ones of its key. In a deferred lane the following ones already have rows. */
  #setAside(lane: Lane<E>, first: Deferred<E> | undefined, due: number): void {
    if (first === undefined) return;
    const followers = lane.waiting;
    lane.waiting = [];
    this.#next.held.set(lane.key, due);
    this.#next.deferred.set(first.event.position, first);
    if (lane.kind === 'deferred') return;
    this.#span.set(first.event.position, true);
    for (const follower of followers) {
      this.#next.deferred.set(follower.event.position, follower);
      this.#span.set(follower.event.position, true);
    }
  }

  #cursor(): number {
    const [first] = this.#span.keys();
    return first === undefined ? this.#fetched : first - 1;
  }

  #advance(): void {
    for (const [position, done] of this.#span) {
      if (!done) return;
      this.#span.delete(position);
    }
  }
}

function emptyProgress<E>() {
  return {
    deferred: new Map<number, Deferred<E>>(),
    settled: [] as number[],
    held: new Map<string, number>(),
    freed: new Set<string>(),
    dead: [] as (Attempted<E> & { error: string })[],
  };
}
