import { backoffDelay, type Clock, canonicalJson, Notifier, type Random, type Sleep } from '#kit/std';
import type { FromIndexer, IndexState, ToIndexer, TypeReport, TypeState } from '../../domain/index-message.ts';
import { FeedLedger, LEDGER_LIMITS, type LedgerLimits } from './feed-ledger.ts';
import { IndexExchange } from './index-exchange.ts';
import { KindFollowers } from './kind-followers.ts';
import type { ObjectSource } from './object-source.ts';

export interface TargetFeedDeps {
  readonly source: ObjectSource;
  /** Resolves once the message is queued; in order. Waits while there is no room. */
  readonly send: (message: FromIndexer, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly onFact: (fact: FeedFact) => void;
  readonly limits?: LedgerLimits;
  readonly pace?: Partial<FeedPace>;
}

export interface FeedPace {
  /** How long changes are collected before they are sent. */
  readonly batchMs: number;
  /** How often object counts are reported when there is nothing else to report. */
  readonly reportMs: number;
  /** Timeout for an answer of the platform. */
  readonly answerMs: number;
  readonly againBaseMs: number;
  readonly againCapMs: number;
}

const PACE: FeedPace = {
  batchMs: 300,
  reportMs: 30_000,
  answerMs: 60_000,
  againBaseMs: 500,
  againCapMs: 60_000,
};

/** For logs. */
export type FeedFact =
  | { readonly kind: 'state'; readonly type: string; readonly state: TypeState; readonly message: string }
  | { readonly kind: 'schema'; readonly revision: string; readonly types: number }
  | { readonly kind: 'compared'; readonly differing: number }
  | { readonly kind: 'unanswered'; readonly retryInMs: number }
  | { readonly kind: 'trouble'; readonly type: string; readonly error: unknown };

/**
 * The agent's side of the index of one target. It learns what the platform has, watches the kinds of the schema, and sends the
 * differences. Nothing is sent during the comparison, so both sides compare the same state.
 */
export class TargetFeed {
  readonly #deps: TargetFeedDeps;
  readonly #pace: FeedPace;
  readonly #wake: Notifier;
  readonly #ledger: FeedLedger;
  readonly #exchange: IndexExchange;
  readonly #followers: KindFollowers;
  /** Whether an exchange with the platform is due. */
  #isDue = true;
  /** Types whose objects differ at the platform. They are listed again, however often the exchange is interrupted. */
  #differing = new Set<string>();
  #failures = 0;
  #revision = '';
  #reported = '';
  #reportedAt = 0;

  constructor(deps: TargetFeedDeps) {
    this.#deps = deps;
    this.#pace = { ...PACE, ...deps.pace };
    this.#wake = new Notifier(deps.sleep);
    this.#ledger = new FeedLedger(deps.limits ?? LEDGER_LIMITS, () => this.#wake.notify());
    this.#exchange = new IndexExchange({ ...deps, answerMs: this.#pace.answerMs });
    this.#followers = new KindFollowers({
      ...deps,
      ledger: this.#ledger,
      onState: (type, state, message) => {
        deps.onFact({ kind: 'state', type, state, message });
        this.#wake.notify();
      },
      onTrouble: (type, error) => deps.onFact({ kind: 'trouble', type, error }),
    });
  }

  /** The platform was away, or reports a change: starts a new exchange. */
  refresh(): void {
    this.#isDue = true;
    this.#exchange.interrupt();
    this.#wake.notify();
  }

  /** Handles a message of the platform. */
  take(message: ToIndexer): void {
    if (message.kind === 'refresh') this.refresh();
    else this.#exchange.take(message);
  }

  /** Runs until aborted, then until everything has stopped. Rejects when nothing can be sent any more. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#turn(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await this.#followers.stopAll();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#isDue) return await this.#compare(signal);
    if (this.#ledger.waiting === 0) await this.#wake.wait(this.#pace.reportMs, signal);
    // The first change is usually followed by more.
    if (!this.#isDue && this.#ledger.waiting > 0 && !this.#ledger.hasBatch) {
      await this.#wake.wait(this.#pace.batchMs, signal);
    }
    if (this.#isDue) return;
    const delta = this.#ledger.take();
    if (delta !== undefined) await this.#deps.send({ kind: 'delta', ...delta }, signal);
    await this.#report(signal);
  }

  async #compare(signal: AbortSignal): Promise<void> {
    this.#isDue = false;
    this.#ledger.forgetExpired(this.#deps.clock.now());
    const state = await this.#exchange.hello(signal);
    if (state === undefined || !(await this.#learn(state, signal))) return await this.#again(signal);
    this.#failures = 0;
    const differing = this.#differing;
    this.#differing = new Set();
    const { revision, kinds } = state.schema;
    if (revision !== this.#revision) this.#deps.onFact({ kind: 'schema', revision, types: kinds.length });
    this.#revision = revision;
    this.#deps.onFact({ kind: 'compared', differing: differing.size });
    await this.#followers.follow(kinds, differing);
  }

  /** The exchange was interrupted, or got no answer. */
  async #again(signal: AbortSignal): Promise<void> {
    if (this.#isDue) return;
    this.#failures += 1;
    const { againBaseMs: baseMs, againCapMs: capMs } = this.#pace;
    const retryInMs = backoffDelay({ baseMs, capMs }, this.#failures, this.#deps.random);
    this.#deps.onFact({ kind: 'unanswered', retryInMs });
    await this.#wake.wait(retryInMs, signal);
    this.#isDue = true;
  }

  /** False when the answer of the platform did not arrive completely. */
  async #learn({ schema, digests }: IndexState, signal: AbortSignal): Promise<boolean> {
    const wanted = new Set(schema.kinds.map(({ type }) => type));
    const held = new Map(digests.map(({ type, sums }) => [type, sums]));
    await this.#drop(
      [...new Set([...held.keys(), ...this.#ledger.types()])].filter((type) => !wanted.has(type)),
      signal,
    );
    for (const type of wanted) {
      const known = this.#ledger.known(type);
      const sums = held.get(type);
      const buckets = known.differing(sums ?? []);
      if (buckets.length === 0) continue;
      // If the platform has nothing of a type, there is nothing to ask for.
      const entries = sums === undefined ? [] : await this.#exchange.held(type, buckets, signal);
      if (entries === undefined) return false;
      known.replace(new Set(buckets), entries);
      this.#differing.add(type);
    }
    return true;
  }

  async #drop(droppedTypes: readonly string[], signal: AbortSignal): Promise<void> {
    if (droppedTypes.length === 0) return;
    for (const type of droppedTypes) {
      await this.#followers.stop(type);
      this.#ledger.drop(type);
    }
    await this.#deps.send({ kind: 'delta', put: [], deleted: [], droppedTypes }, signal);
  }

  /** Reports state changes at once, and counts periodically. */
  async #report(signal: AbortSignal): Promise<void> {
    const types: TypeReport[] = [...this.#followers.states()].map(([type, { state, message }]) => {
      return { type, state, message, objects: this.#ledger.known(type).size };
    });
    const states = canonicalJson(types.map(({ type, state, message }) => [type, state, message]));
    const now = this.#deps.clock.now();
    if (states === this.#reported && now - this.#reportedAt < this.#pace.reportMs) return;
    this.#reported = states;
    this.#reportedAt = now;
    await this.#deps.send({ kind: 'report', types }, signal);
  }
}
