import { uuidv7 } from '#kit/std';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import type { Engine, Storage } from '../../port.ts';
import { appendEvents, type OutboxEvent } from '../append-events.ts';
import { OUTBOX_MIGRATIONS } from '../outbox-migrations.ts';
import { createSequencer } from '../sequencer.ts';

export const never = new AbortController().signal;

const COUNTERS = {
  module: 'counters',
  migrations: [
    {
      number: 1,
      name: 'counters',
      compatibleFrom: 0,
      up: 'CREATE TABLE counters (key KEYTEXT PRIMARY KEY, value BIGINT NOT NULL)',
    },
  ],
};

export interface OutboxDatabase {
  readonly database: TestDatabase;
  readonly storage: Storage;
  /**
   * A second storage on the same database, like that of another process; on SQLite, which allows only one process, the
   * same one.
   */
  readonly second: () => Promise<Storage>;
  readonly append: (...keys: string[]) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** An empty outbox, by default with a running sequencer, and a table `counters` as the subject of events. */
export async function outboxDatabase(engine: Engine, { sequences = true } = {}): Promise<OutboxDatabase> {
  const database = await freshDatabase(engine);
  const modules = [OUTBOX_MIGRATIONS, COUNTERS];
  const storage = await database.open(modules);
  const stop = new AbortController();
  const sequencing = sequences ? createSequencer({ storage }).run(stop.signal) : undefined;
  return {
    database,
    storage,
    second: async () => (engine === 'sqlite' ? storage : await database.open(modules)),
    append: async (...keys) => {
      await storage.commit(appendEvents(keys.map((key) => event(key))), never);
    },
    dispose: async () => {
      stop.abort();
      await sequencing;
      await database.dispose();
    },
  };
}

export function event(key: string, more: Partial<OutboxEvent> = {}): OutboxEvent {
  return { id: uuidv7(), type: 'changed', key, time: Date.now(), data: {}, ...more };
}
