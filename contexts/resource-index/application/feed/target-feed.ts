import { backoffDelay, type Clock, canonicalJson, type Random, type Sleep, Wake } from '#kit/std';
import type { FromIndexer, IndexState, ToIndexer, TypeReport, TypeState } from '../../domain/index-message.ts';
import { FeedLedger, LEDGER_LIMITS, type LedgerLimits } from './feed-ledger.ts';
import { IndexExchange } from './index-exchange.ts';
import { KindFollowers } from './kind-followers.ts';
import type { ObjectSource } from './object-source.ts';

export interface TargetFeedDeps {
  readonly source: ObjectSource;
  /** Resolves once it is on its way; in order. Waits while there is no room. */
  readonly send: (message: FromIndexer, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly random: Random;
  readonly onFact: (fact: FeedFact) => void;
  readonly limits?: LedgerLimits;
  readonly pace?: Partial<FeedPace>;
}

export interface FeedPace {
  /** How long changes are gathered before they are sent. */
  readonly batchMs: number;
  /** How often it is said how many there are, if nothing else has to be said. */
  readonly reportMs: number;
  /** How long an answer of the platform may take. */
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

/** For the log. */
export type FeedFact =
  | { readonly kind: 'state'; readonly type: string; readonly state: TypeState; readonly message: string }
  | { readonly kind: 'schema'; readonly revision: string; readonly types: number }
  | { readonly kind: 'compared'; readonly differing: number }
  | { readonly kind: 'unanswered'; readonly retryInMs: number }
  | { readonly kind: 'trouble'; readonly type: string; readonly error: unknown };

/**
 * The agent's side of the index of one target. It learns what the platform has, follows what the schema names, and says
 * the difference. Nothing is said while the two compare what they have, so that they speak of the same moment.
 */
export class TargetFeed {
  readonly #deps: TargetFeedDeps;
  readonly #pace: FeedPace;
  readonly #wake: Wake;
  readonly #ledger: FeedLedger;
  readonly #exchange: IndexExchange;
  readonly #followers: KindFollowers;
  /** Whether what both have is to be compared. */
  #isDue = true;
  /** Types of which the platform turned out to have something else: they are seen anew, however often it is interrupted. */
  #differing = new Set<string>();
  #failures = 0;
  #revision = '';
  #reported = '';
  #reportedAt = 0;

  constructor(deps: TargetFeedDeps) {
    this.#deps = deps;
    this.#pace = { ...PACE, ...deps.pace };
    this.#wake = new Wake(deps.sleep);
    this.#ledger = new FeedLedger(deps.limits ?? LEDGER_LIMITS, () => this.#wake.raise());
    this.#exchange = new IndexExchange({ ...deps, answerMs: this.#pace.answerMs });
    this.#followers = new KindFollowers({
      ...deps,
      ledger: this.#ledger,
      onState: (type, state, message) => {
        deps.onFact({ kind: 'state', type, state, message });
        this.#wake.raise();
      },
      onTrouble: (type, error) => deps.onFact({ kind: 'trouble', type, error }),
    });
  }

  /** The platform was away, or says that something has changed: what both have is compared again. */
  refresh(): void {
    this.#isDue = true;
    this.#exchange.interrupt();
    this.#wake.raise();
  }

  /** What came from the platform. */
  take(message: ToIndexer): void {
    if (message.kind === 'refresh') this.refresh();
    else this.#exchange.take(message);
  }

  /** Until aborted, and then until nothing of it is left. Rejects when nothing can be sent any more. */
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
    // What was told first is soon followed by more.
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

  /** It was interrupted, or has no answer. */
  async #again(signal: AbortSignal): Promise<void> {
    if (this.#isDue) return;
    this.#failures += 1;
    const { againBaseMs: baseMs, againCapMs: capMs } = this.#pace;
    const retryInMs = backoffDelay({ baseMs, capMs }, this.#failures, this.#deps.random);
    this.#deps.onFact({ kind: 'unanswered', retryInMs });
    await this.#wake.wait(retryInMs, signal);
    this.#isDue = true;
  }

  /** False when what the platform has was not heard to the end. */
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
      // Where it has nothing there is nothing to ask for.
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

  /** States at once, numbers now and then. */
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
