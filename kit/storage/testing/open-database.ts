import type { TestDatabase } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import type { MigrationModule } from '../migrations.ts';
import type { Storage } from '../port.ts';
import { openPostgres } from '../postgres/postgres-storage.ts';
import { openSqlite } from '../sqlite/sqlite-storage.ts';

export interface OpenOptions {
  readonly modules: readonly MigrationModule[];
  readonly transactionTimeoutMs?: number;
  readonly busyTimeoutMs?: number;
}

/** Opens a test database with its engine, with options for engine tests. */
export async function openDatabase(database: TestDatabase, options: OpenOptions): Promise<Storage> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  if (database.engine === 'sqlite') return await openSqlite({ ...options, file: database.file }, signal);
  return await openPostgres({ ...options, url: database.url }, signal);
}
