import { after, before } from 'node:test';
import type { Engine, Storage } from '../../port.ts';
import { sql } from '../../sql.ts';
import { appendEvents } from '../append-events.ts';
import { event, never, type OutboxDatabase, outboxDatabase } from './outbox-database.ts';
import { RecordingConsumer, runDispatcher } from './recording-consumer.ts';

/** For a `describe`: one outbox for all its tests, and a new consumer name for each test. */
export function dispatchSuite(engine: Engine) {
  let outbox: OutboxDatabase;
  let number = 0;
  before(async () => {
    outbox = await outboxDatabase(engine);
  });
  after(() => outbox.dispose());
  return {
    /** A new consumer that starts after all events appended by other tests. */
    registered: async (): Promise<{ storage: Storage; name: string }> => {
      const { storage } = outbox;
      const name = `consumer-${number++}`;
      const dispatcher = runDispatcher({
        storage,
        consumers: [new RecordingConsumer(() => {}, { name, startAt: 'now' })],
      });
      await dispatcher.facts.until((facts) => facts.some(({ kind }) => kind === 'claimed'), 'the first claim');
      await dispatcher.stop();
      return { storage, name };
    },
    /** `a1 b1 a2`: events of the keys a and b. */
    append: async (labels: string, type = 'changed'): Promise<void> => {
      const events = labels.split(' ').map((each) => event(each.slice(0, 1), { type, data: Number(each.slice(1)) }));
      await outbox.storage.commit(appendEvents(events), never);
    },
    rowsOf: async (table: string, name: string): Promise<number> => {
      const count = sql`SELECT count(*) AS n FROM ${sql.raw(table)} WHERE consumer = ${name}`;
      return (await outbox.storage.get<{ n: number }>(count, never))?.n ?? 0;
    },
  };
}

export function has(...wanted: string[]): (items: readonly string[]) => boolean {
  return (items) => wanted.every((each) => items.includes(each));
}

/** The items of one key, in order. */
export function ofKey(key: string, items: readonly string[]): string {
  return items.filter((each) => each.startsWith(key)).join(' ');
}
