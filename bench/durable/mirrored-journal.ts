import { DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import { type Engine, openPostgres, openSqlite, type Statement, type Storage, sql } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { freshDatabase, type TestDatabase } from '#testing/databases';
import { rawPostgres } from '../storage/raw-postgres.ts';
import { rawSqlite } from '../storage/raw-sqlite.ts';

const MODULES = [LEASE_MIGRATIONS, DURABLE_MIGRATIONS];

/**
 * Two identical databases. The engine works on the first, and every batch that it commits is recorded. The raw driver
 * then writes the same batches into the second: the same rows with the same grouping and sync, without an engine.
 */
export interface MirroredJournal {
  readonly database: TestDatabase;
  readonly storage: Storage;
  /** Writes everything committed since the last call with the raw driver; returns the milliseconds. */
  catchUp(): Promise<number>;
  close(): Promise<void>;
}

export async function mirroredJournal(engine: Engine, signal: AbortSignal): Promise<MirroredJournal> {
  const [database, mirror] = [await freshDatabase(engine), await freshDatabase(engine)];
  const storage = await openJournal(database, signal);
  await (await openJournal(mirror, signal)).close();
  const raw = mirror.engine === 'sqlite' ? rawSqlite(mirror.file) : await rawPostgres(mirror.url);
  let batches: (readonly Statement[])[] = [];
  const recorded = recording(storage, (batch) => batches.push(batch));
  return {
    database,
    storage: recorded,
    catchUp: async () => {
      const begun = performance.now();
      await raw.write(batches, 1);
      batches = [];
      return performance.now() - begun;
    },
    close: async () => {
      const rows = sql`SELECT count(*) AS rows FROM durable_history`;
      const [ours, theirs] = [await storage.get(rows, signal), await raw.read(rows)];
      await storage.close();
      await raw.close();
      await Promise.all([database.dispose(), mirror.dispose()]);
      if (Number(ours?.['rows']) !== Number(theirs?.['rows']))
        throw new Error('the raw journal has other rows than ours');
    },
  };
}

export async function openJournal(database: TestDatabase, signal: AbortSignal): Promise<Storage> {
  if (database.engine === 'sqlite') return await openSqlite({ file: database.file, modules: MODULES }, signal);
  return await openPostgres({ url: database.url, modules: MODULES }, signal);
}

function recording(storage: Storage, record: (batch: readonly Statement[]) => void): Storage {
  return {
    engine: storage.engine,
    all: (statement, signal) => storage.all(statement, signal),
    get: (statement, signal) => storage.get(statement, signal),
    read: (body, signal) => storage.read(body, signal),
    write: () => {
      throw new Error('the engine wrote in a way that this bench cannot mirror');
    },
    commit: async (batch, signal) => {
      const changed = await storage.commit(batch, signal);
      record(batch);
      return changed;
    },
    onAnnounced: (topic, listener) => storage.onAnnounced(topic, listener),
    announce: (topic, signal) => storage.announce(topic, signal),
    close: () => storage.close(),
  };
}
