import { existsSync } from 'node:fs';
import { type MigrationModule, openPostgres, openSqlite, type Storage, sql } from '#kit/storage';
import { BackupError } from './backup-error.ts';
import { filesOf, type LocalValues } from './local-settings.ts';

/** A backup keeps its snapshot open for as long as it takes. */
const TRANSACTION_MS = 24 * 60 * 60_000;

/** The tables are used as they are: `serve` migrates them, and may be running right now. */
const NO_MIGRATIONS: readonly MigrationModule[] = [];

/** Opens the database of a platform, running or not. An empty database is refused, because only `serve` creates one. */
export async function openLocalDatabase(values: LocalValues, signal: AbortSignal): Promise<Storage> {
  const { database } = values;
  const { databaseFile: file } = filesOf(values);
  const shown = database.engine === 'sqlite' ? file : database.shown;
  if (database.engine === 'sqlite' && !existsSync(file)) throw noDatabase(shown);
  const options = { modules: NO_MIGRATIONS, transactionTimeoutMs: TRANSACTION_MS };
  const storage =
    database.engine === 'sqlite'
      ? await openSqlite({ ...options, file }, signal)
      : await openPostgres({ ...options, url: database.url.reveal() }, signal);
  try {
    if ((await storage.get(sql`SELECT 1 AS used FROM schema_migrations LIMIT 1`, signal)) === undefined) {
      throw noDatabase(shown);
    }
    return storage;
  } catch (error) {
    await storage.close();
    throw error;
  }
}

function noDatabase(shown: string): BackupError {
  return new BackupError('NO_DATABASE', `no platform database in ${shown}; name it with --data or --database`);
}
