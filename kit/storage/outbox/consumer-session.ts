import type { Clock, Notifier, Random, Sleep } from '#kit/std';
import { withinDeadline } from '../within-deadline.ts';
import { afterFailure, type Outcome } from './after-failure.ts';
import type { ConsumerSettings } from './consumer.ts';
import type { Claim, ConsumerStore } from './consumer-store.ts';
import { describeError } from './describe-error.ts';
import type { DispatchFact } from './dispatch-fact.ts';
import { DispatchWindow, type Turn } from './dispatch-window.ts';
import type { StoredEvent } from './event-log.ts';
import { type Ending, RunningHandlers } from './running-handlers.ts';

export interface SessionDeps {
  readonly consumer: ConsumerSettings;
  readonly store: ConsumerStore;
  readonly claim: Claim;
  readonly wake: Notifier;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly timing: Timing;
  readonly windowSize: number;
  readonly onFact: (fact: DispatchFact) => void;
}

export interface Timing {
  readonly leaseMs: number;
  /** Whether other replicas wait for the lease to expire. */
  readonly renews: boolean;
  readonly pollMs: number;
  /** How long handlers may continue after a stop. */
  readonly stopMs: number;
}

/** Deferred events of one key that are resumed together. */
const RUN = 16;
/** Progress is recorded at least this often, so that a crash repeats little. */
const RECORD_MS = 1_000;
/** How long slow keys may fill the window before they are deferred to make room. */
const PATIENCE_MS = 200;

const NEVER = new AbortController().signal;

/** Another dispatcher took over the claim during this session. */
export class ClaimLost extends Error {}

/** The work for one consumer during one claim: a single loop that fetches events, starts handlers and records progress. */
export class ConsumerSession {
  readonly #deps: SessionDeps;
  readonly #window: DispatchWindow<StoredEvent>;
  readonly #handlers: RunningHandlers;
  readonly #finished: { turn: Turn<StoredEvent>; outcome: Outcome }[] = [];
  #mayHaveEvents = true;
  #mayHaveDue = true;
  /** When the next held key is due. A due key may still be busy. */
  #dueAt = Number.POSITIVE_INFINITY;
  #isDueBusy = false;
  #pollAt: number;
  #recordedAt: number;
  #crowdedSince: number | undefined;
  /** A record was sent and has not been acknowledged. */
  #isUnsure = false;
  /** The pending write of the cursor. */
  #recording: Promise<void> | undefined;
  #trouble: { readonly error: unknown } | undefined;

  constructor(deps: SessionDeps) {
    const { claim, consumer, clock, timing, windowSize } = deps;
    this.#deps = deps;
    const { cursor, recordedThrough } = claim;
    this.#window = new DispatchWindow({ cursor, recordedThrough, size: windowSize, concurrency: consumer.concurrency });
    this.#handlers = new RunningHandlers({ consumer, clock, onEnd: (turn, ending) => this.#noteEnd(turn, ending) });
    this.#pollAt = clock.now() + timing.pollMs;
    this.#recordedAt = clock.now();
  }

  /** There may be more events in the log. */
  noteEvents(): void {
    this.#mayHaveEvents = true;
    this.#deps.wake.notify();
  }

  /** There may be more deferred events that are due. */
  noteDue(): void {
    this.#mayHaveDue = true;
    this.#deps.wake.notify();
  }

  /**
   * Runs until the signal aborts. Then handlers get some time to finish, and everything is recorded. Throws when the
   * session cannot continue; the next session repeats what was handled since the last record.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#turn(signal);
    } catch (error) {
      await this.#recording;
      if (!signal.aborted || this.#isUnsure) {
        this.#handlers.breakOff();
        throw error;
      }
    }
    await this.#windUp();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#trouble) throw this.#trouble.error;
    this.#handlers.expire();
    this.#settleFinished();
    this.#startReady();
    this.#makeRoom();
    if (this.#deps.clock.now() >= this.#recordAt || (this.#mayLook && this.#window.hasNews)) await this.#writeDown();
    if (this.#mayLook) {
      await this.#look(signal);
      this.#startReady();
    }
    await this.#deps.wake.wait(this.#restMs(), signal);
  }

  get #mayLook(): boolean {
    return this.#window.hasFreeSlot && !this.#isCrowded;
  }

  /** Half of the window is taken by events that wait for others of their key, while there are free slots. */
  get #isCrowded(): boolean {
    return this.#window.room * 2 < this.#deps.windowSize;
  }

  #makeRoom(): void {
    const now = this.#deps.clock.now();
    if (!this.#isCrowded || !this.#window.hasFreeSlot) this.#crowdedSince = undefined;
    else if (now - (this.#crowdedSince ??= now) >= PATIENCE_MS) {
      this.#window.spill(now);
      this.#crowdedSince = undefined;
    }
  }

  #startReady(): void {
    for (let turn = this.#window.start(); turn !== undefined; turn = this.#window.start()) this.#handlers.start(turn);
  }

  /** Queued for the loop, which alone changes the window. */
  #noteEnd(turn: Turn<StoredEvent>, ending: Ending): void {
    this.#finished.push({ turn, outcome: ending.kind === 'done' ? ending : this.#failed(turn, ending.error) });
    this.#deps.wake.notify();
  }

  #failed({ event, attempts }: Turn<StoredEvent>, error: unknown): Outcome {
    const { consumer, clock, random, onFact } = this.#deps;
    const failure = { attempts: attempts + 1, error: describeError(error) };
    const outcome = afterFailure(consumer, failure, { now: clock.now(), random });
    const fact = {
      consumer: consumer.name,
      position: event.position,
      key: event.key,
      attempts: failure.attempts,
      error,
    };
    if (outcome.kind === 'retry') onFact({ ...fact, kind: 'will-retry', retryAt: outcome.at });
    if (outcome.kind === 'dead') onFact({ ...fact, kind: 'dead-letter' });
    return outcome;
  }

  #settleFinished(): void {
    const now = this.#deps.clock.now();
    for (const { turn, outcome } of this.#finished.splice(0)) {
      this.#window.settle(turn, outcome, now);
      // A slot or key became free that a due event may have been waiting for.
      this.#mayHaveDue ||= this.#isDueBusy || this.#dueAt <= now;
    }
  }

  /**
   * Handled and deferred events are recorded soon; a lease renewal, or a cursor that only moved past events of other
   * types, when the lease needs it.
   */
  get #recordAt(): number {
    if (this.#recording !== undefined && !this.#window.hasRows) return Number.POSITIVE_INFINITY;
    if (this.#window.hasNews) return this.#recordedAt + RECORD_MS;
    if (this.#deps.timing.renews || this.#window.hasMoved) return this.#recordedAt + this.#renewMs;
    return Number.POSITIVE_INFINITY;
  }

  get #renewMs(): number {
    return this.#deps.timing.leaseMs / 3;
  }

  /**
   * Rows are on disk before the loop continues: the next fetch must see them. A cursor alone is written in the
   * background, since it only says where a restart after a crash begins.
   */
  async #writeDown(): Promise<void> {
    const { clock, timing, wake } = this.#deps;
    if (this.#window.hasRows) {
      await this.#recorded();
      return await this.#record(clock.now() + timing.leaseMs);
    }
    this.#recording ??= this.#record(clock.now() + timing.leaseMs)
      .catch((error: unknown) => {
        this.#trouble = { error };
      })
      .finally(() => {
        this.#recording = undefined;
        wake.notify();
      });
  }

  /** Resolves when no write is pending; throws if it failed. */
  async #recorded(): Promise<void> {
    await this.#recording;
    if (this.#trouble) throw this.#trouble.error;
  }

  /** A stop does not interrupt this: what the window handed over must be written, or this session must write nothing more. */
  async #record(leaseUntil: number): Promise<void> {
    const { store, claim, clock, consumer, onFact } = this.#deps;
    const now = clock.now();
    const progress = this.#window.record();
    this.#isUnsure = true;
    if (!(await this.#answer(store.record(claim, { progress, now, leaseUntil }, NEVER), NEVER))) {
      throw new ClaimLost(`another dispatcher has claimed ${consumer.name}`);
    }
    this.#isUnsure = false;
    this.#recordedAt = now;
    this.#mayHaveDue ||= progress.held.size > 0;
    onFact({ kind: 'recorded', consumer: consumer.name, cursor: progress.cursor });
  }

  async #look(signal: AbortSignal): Promise<void> {
    const now = this.#deps.clock.now();
    if (now >= this.#pollAt) {
      this.#pollAt = now + this.#deps.timing.pollMs;
      this.#mayHaveEvents = true;
      this.#mayHaveDue = true;
    }
    if (this.#mayHaveDue || this.#dueAt <= now) await this.#lookForDue(signal);
    if (this.#mayHaveEvents) await this.#lookForEvents(signal);
  }

  async #lookForEvents(signal: AbortSignal): Promise<void> {
    this.#mayHaveEvents = false;
    const limit = this.#window.room;
    const { arrivals, through } = await this.#answer(
      this.#deps.store.readArrivals(this.#window.fetched, limit, signal),
      signal,
    );
    this.#window.admit(arrivals, through);
    if (arrivals.length === limit) this.#mayHaveEvents = true;
  }

  async #lookForDue(signal: AbortSignal): Promise<void> {
    const { store, consumer, clock } = this.#deps;
    this.#mayHaveDue = false;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#isDueBusy = false;
    // Some keys may be busy. Keys that do not fit are fetched again when a slot becomes free.
    const keys = await this.#answer(store.readHeldKeys(2 * consumer.concurrency + 1, signal), signal);
    for (const { key, dueAt } of keys) {
      if (this.#window.isBusy(key)) {
        this.#isDueBusy = true;
        continue;
      }
      if (dueAt > clock.now() || this.#window.deferredRoom === 0) {
        this.#dueAt = dueAt;
        return;
      }
      this.#window.resume(key, await this.#answer(store.readDeferred(key, RUN, signal), signal));
    }
  }

  /** How long the loop can sleep unless `wake` is raised. */
  #restMs(): number {
    const { clock, timing } = this.#deps;
    if (this.#mayLook && this.#mayHaveEvents) return 0;
    const now = clock.now();
    const times = [this.#recordAt, this.#handlers.nextDeadline, now + timing.pollMs];
    if (this.#crowdedSince !== undefined) times.push(this.#crowdedSince + PATIENCE_MS);
    if (this.#mayLook) times.push(this.#pollAt);
    if (this.#mayLook && this.#window.deferredRoom > 0) times.push(this.#dueAt);
    return Math.max(0, Math.min(...times) - now);
  }

  async #windUp(): Promise<void> {
    const { sleep, timing, wake } = this.#deps;
    let isPatient = true;
    const over = new AbortController();
    const patience = sleep(timing.stopMs, over.signal).then(
      () => {
        isPatient = false;
        wake.notify();
      },
      () => {},
    );
    while (isPatient && this.#handlers.size > 0) await wake.wait(timing.stopMs, over.signal);
    over.abort();
    await patience;
    this.#handlers.breakOff();
    this.#settleFinished();
    await this.#recorded();
    await this.#record(0);
  }

  /** A database that does not answer must not hold this session beyond its lease. */
  async #answer<T>(question: Promise<T>, signal: AbortSignal): Promise<T> {
    return await withinDeadline(question, this.#renewMs, signal);
  }
}
