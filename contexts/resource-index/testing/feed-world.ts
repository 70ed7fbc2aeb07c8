import { setImmediate as turn } from 'node:timers/promises';
import { sleep, systemClock } from '#kit/std';
import { PATIENCE_MS } from '#testing/patience';
import {
  decodeFromIndexer,
  decodeToIndexer,
  encodeFromIndexer,
  encodeToIndexer,
} from '../adapters/wire/index-codec.ts';
import type { LedgerLimits } from '../application/feed/feed-ledger.ts';
import { type FeedFact, TargetFeed } from '../application/feed/target-feed.ts';
import { IndexIntake } from '../application/sink/index-intake.ts';
import { extractorOf } from '../domain/extract-object.ts';
import type { FromIndexer } from '../domain/index-message.ts';
import type { EffectiveSchema } from '../domain/index-schema.ts';
import { MemoryIndexStore } from './memory-index-store.ts';
import { ScriptedSource } from './scripted-source.ts';

interface Sent {
  readonly payload: Uint8Array;
}

const TARGET = 'target-1';
const PACE = { batchMs: 0, reportMs: 10_000, answerMs: 2_000, againBaseMs: 1, againCapMs: 2 };

/** A platform and an agent with a reliable channel between them that can be cut; either side can restart. */
export class FeedWorld {
  readonly store = new MemoryIndexStore([TARGET]);
  readonly source = new ScriptedSource();
  readonly facts: FeedFact[] = [];
  readonly sent: FromIndexer['kind'][] = [];
  schema: EffectiveSchema;
  /** While closed, nothing arrives at the platform. */
  isOpen = true;
  readonly #limits: LedgerLimits | undefined;
  #unacknowledged: Sent[] = [];
  #feed: TargetFeed | undefined;
  #stopFeed = async (): Promise<void> => {};
  #intake: IndexIntake | undefined;
  #stopIntake = async (): Promise<void> => {};

  constructor(schema: EffectiveSchema, limits?: LedgerLimits) {
    this.schema = schema;
    this.#limits = limits;
    this.#startIntake();
    this.#startFeed();
  }

  refresh(): void {
    this.#feed?.take({ kind: 'refresh' });
  }

  /** Unacknowledged messages are sent again, whether they arrived or not. */
  cut(): void {
    const again = this.#unacknowledged;
    this.#unacknowledged = [];
    // These repetitions are caused by the channel, so they do not count as needless.
    const { needless } = this.store;
    for (const each of again) this.#deliver(each, () => Object.assign(this.store, { needless }));
    this.#feed?.refresh();
  }

  async restartPlatform(): Promise<void> {
    await this.#stopIntake();
    this.#startIntake();
    this.cut();
  }

  /** The agent restarts without memory; its messages in flight are lost. */
  async restartAgent(): Promise<void> {
    await this.#stopFeed();
    this.#unacknowledged = [];
    this.#startFeed();
  }

  expected(): readonly string[] {
    const digests = this.schema.kinds.flatMap((kind) => {
      const extract = extractorOf(kind);
      return this.source.all(kind.type).flatMap((object) => extract(object, systemClock.now()) ?? []);
    });
    return digests.map(({ key, digest }) => `${key.type} ${key.namespace}/${key.name} ${digest}`).sort(byText);
  }

  held(): readonly string[] {
    const objects = [...(this.store.targets.get(TARGET)?.values() ?? [])];
    return objects.map(({ key, digest }) => `${key.type} ${key.namespace}/${key.name} ${digest}`).sort(byText);
  }

  /** Whether both sides converge in time. */
  async settles(withinMs = PATIENCE_MS): Promise<boolean> {
    return await this.until(() => this.held().join('\n') === this.expected().join('\n'), withinMs);
  }

  async until(isSo: () => boolean, withinMs = PATIENCE_MS): Promise<boolean> {
    const end = performance.now() + withinMs;
    while (performance.now() < end) {
      if (isSo()) return true;
      await turn();
      if (performance.now() > end - withinMs + 50) await sleep(2, new AbortController().signal);
    }
    return isSo();
  }

  async close(): Promise<void> {
    await this.#stopFeed();
    await this.#stopIntake();
  }

  #startFeed(): void {
    const over = new AbortController();
    const feed = new TargetFeed({
      source: this.source,
      send: async (message) => {
        this.sent.push(message.kind);
        this.#deliver({ payload: encodeFromIndexer(message) });
      },
      clock: systemClock,
      sleep,
      random: () => 0.5,
      onFact: (fact) => this.facts.push(fact),
      pace: PACE,
      ...(this.#limits === undefined ? {} : { limits: this.#limits }),
    });
    this.#feed = feed;
    const running = feed.run(over.signal);
    this.#stopFeed = async () => {
      over.abort();
      await running;
    };
  }

  #startIntake(): void {
    const over = new AbortController();
    const intake = new IndexIntake({
      store: this.store,
      agents: {
        send: async (_target, message) => {
          const said = decodeToIndexer(encodeToIndexer(message));
          queueMicrotask(() => said && this.#feed?.take(said));
        },
      },
      schemaOf: async () => this.schema,
      observer: {
        applied: () => {},
        trouble: (error) => {
          throw error;
        },
        lost: () => {},
      },
      clock: systemClock,
      sleep,
    });
    this.#intake = intake;
    const running = intake.run(over.signal);
    this.#stopIntake = async () => {
      over.abort();
      await running;
    };
  }

  #deliver(sent: Sent, taken = (): void => {}): void {
    this.#unacknowledged.push(sent);
    if (!this.isOpen) return;
    const message = decodeFromIndexer(sent.payload);
    if (message === undefined) return;
    this.#intake?.take({
      target: TARGET,
      message,
      bytes: sent.payload.length,
      taken: () => {
        taken();
        this.#unacknowledged = this.#unacknowledged.filter((each) => each !== sent);
      },
    });
  }
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
