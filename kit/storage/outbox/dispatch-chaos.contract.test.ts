import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { DATABASES } from '#testing/databases';
import { type SeededRandom, seededRandom, share, testSeed } from '#testing/seeded';
import { StorageError } from '../storage-error.ts';
import { appendEvents } from './append-events.ts';
import type { StoredEvent } from './event-log.ts';
import { alteredStorage } from './testing/altered-storage.ts';
import { event, never, outboxDatabase } from './testing/outbox-database.ts';
import { RecordingConsumer, runDispatcher } from './testing/recording-consumer.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const EVENTS = 150;

for (const engine of DATABASES) {
  describe(`dispatch on ${engine} when anything may fail`, () => {
    for (let case_ = 0; case_ < share(60); case_ += 1) {
      const seed = testSeed() + case_;
      it(`handles every event, in order within its key (seed ${seed})`, async (t) => {
        const random = seededRandom(seed);
        const { storage, dispose } = await outboxDatabase(engine);
        t.after(dispose);
        const history = new History();
        const consumer = new RecordingConsumer((event, signal) => handle(random, { history, event, signal }), {
          attempts: 1_000,
          concurrency: random.integer(1, 5),
          timeoutMs: 20,
        });
        const flaky = alteredStorage(storage, {
          commit: async (batch, signal) => {
            if (random.next() < 0.05) throw new StorageError('CONNECTION_LOST', 'cut by the test');
            const changes = await storage.commit(batch, signal);
            if (random.next() < 0.05) throw new StorageError('OUTCOME_UNKNOWN', 'cut by the test after it was done');
            return changes;
          },
        });
        const timing = { windowSize: random.integer(2, 20), leaseMs: 3_000, stopMs: 5 };
        const appending = appendAll(random, (events) => storage.commit(appendEvents(events), never));
        for (let restart = 0; restart < 4; restart += 1) {
          const dispatcher = runDispatcher({ storage: flaky, consumers: [consumer], ...timing });
          const enough = random.integer(1, EVENTS / 4);
          const seen = consumer.begun.items.length;
          await consumer.begun.until(({ length }) => length >= Math.min(seen + enough, EVENTS), `${enough} more`);
          await dispatcher.stop();
        }
        const last = runDispatcher({ storage, consumers: [consumer], ...timing });
        await appending;
        await consumer.done.until(() => history.isComplete, 'all events');
        await last.stop();
        assert.deepEqual(history.violations, []);
      });
    }
  });
}

/** The handled events of each key, and those that came out of order. */
class History {
  readonly violations: string[] = [];
  readonly #done = new Map(KEYS.map((key) => [key, 0]));
  #total = 0;

  begin({ key, data }: StoredEvent): void {
    const done = this.#done.get(key) ?? 0;
    if (Number(data) > done + 1) this.violations.push(`${key}${String(data)} came after ${key}${done}`);
  }

  end({ key, data }: StoredEvent): void {
    if (Number(data) <= (this.#done.get(key) ?? 0)) return;
    this.#done.set(key, Number(data));
    this.#total += 1;
  }

  get isComplete(): boolean {
    return this.#total === EVENTS;
  }
}

async function handle(
  random: SeededRandom,
  { history, event, signal }: { history: History; event: StoredEvent; signal: AbortSignal },
) {
  history.begin(event);
  const chance = random.next();
  if (chance < 0.02) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  if (chance < 0.2) throw new Error('refused by the test');
  for (let turns = random.integer(0, 3); turns > 0; turns -= 1) await turn();
  history.end(event);
}

async function appendAll(
  random: SeededRandom,
  append: (events: ReturnType<typeof event>[]) => Promise<unknown>,
): Promise<void> {
  const numbers = new Map<string, number>();
  for (let left = EVENTS; left > 0; ) {
    const count = Math.min(left, random.integer(1, 12));
    const events = Array.from({ length: count }, () => {
      const key = random.pick(KEYS);
      numbers.set(key, (numbers.get(key) ?? 0) + 1);
      return event(key, { data: numbers.get(key) });
    });
    await append(events);
    left -= count;
  }
}
