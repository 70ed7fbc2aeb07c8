import { openPostgres, openSqlite, type Storage, sql } from '#kit/storage';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { PATIENCE_MS } from '#testing/patience';
import type { PlatformHome } from '#testing/platform-process';

const RECORD = 'written_tables';
const signal = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS);

/** Creates the tables of this version, without a platform, and from then on records which of them are written. */
export async function createSchema({ data, database }: PlatformHome): Promise<void> {
  const modules = SCHEMA_MODULES;
  const storage =
    database === 'sqlite'
      ? await openSqlite({ file: fileIn(data), modules }, signal())
      : await openPostgres({ url: database, modules }, signal());
  try {
    if (storage.engine === 'sqlite') await watchTables(storage);
  } finally {
    await storage.close();
  }
}

/** The tables in a database, whatever version created them, by whether a process has written to them. */
export async function writtenTables({ data, database }: PlatformHome): Promise<ReadonlyMap<string, boolean>> {
  // Opened without modules: nothing is migrated or checked.
  const storage =
    database === 'sqlite'
      ? await openSqlite({ file: fileIn(data), modules: [] }, signal())
      : await openPostgres({ url: database, modules: [] }, signal());
  try {
    const rows = storage.engine === 'sqlite' ? await recorded(storage) : await counted(storage);
    return new Map(rows.map(({ name, written }) => [name, written > 0]));
  } finally {
    await storage.close();
  }
}

const fileIn = (data: string): string => `${data}/fleetshift.db`;

interface Row {
  readonly [column: string]: string | number;
  readonly name: string;
  readonly written: number;
}

async function tablesOfSqlite(storage: Storage): Promise<string[]> {
  const rows = await storage.all<{ name: string }>(
    sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
      AND name NOT IN (${RECORD}, 'schema_migrations')`,
    signal(),
  );
  return rows.map(({ name }) => name);
}

/**
 * By triggers: many rows are deleted again before a test could see them. Without OR IGNORE, in place of which SQLite would
 * use the policy of the statement that fires the trigger.
 */
async function watchTables(storage: Storage): Promise<void> {
  const tables = await tablesOfSqlite(storage);
  const triggers = tables.flatMap((name) =>
    ['INSERT', 'UPDATE'].map(
      (what) => `CREATE TRIGGER ${RECORD}_${name}_${what} AFTER ${what} ON ${name}
        BEGIN INSERT INTO ${RECORD} SELECT '${name}' WHERE NOT EXISTS (SELECT 1 FROM ${RECORD} WHERE name = '${name}'); END`,
    ),
  );
  const record = `CREATE TABLE ${RECORD} (name TEXT PRIMARY KEY)`;
  await storage.commit(
    [record, ...triggers].map((text) => sql`${sql.raw(text)}`),
    signal(),
  );
}

async function recorded(storage: Storage): Promise<Row[]> {
  const watched = await storage.get(sql`SELECT 1 AS found FROM sqlite_master WHERE name = ${RECORD}`, signal());
  const names = await tablesOfSqlite(storage);
  const rows =
    watched === undefined
      ? []
      : await storage.all<{ name: string }>(sql`SELECT name FROM ${sql.raw(RECORD)}`, signal());
  const written = new Set(rows.map(({ name }) => name));
  return names.map((name) => ({ name, written: written.has(name) ? 1 : 0 }));
}

/** By Postgres's own statistics, which a session hands in when it ends. */
async function counted(storage: Storage): Promise<Row[]> {
  return await storage.all<Row>(
    sql`SELECT relname::text AS name, n_tup_ins + n_tup_upd AS written FROM pg_stat_user_tables
      WHERE schemaname = 'fleetshift' AND relname <> 'schema_migrations'`,
    signal(),
  );
}
