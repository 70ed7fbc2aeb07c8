import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type AppliedMigration,
  MIGRATIONS_TABLE,
  type MigrationModule,
  type PendingMigration,
  planMigrations,
} from '../migrations.ts';
import { StorageError } from '../storage-error.ts';
import { SqliteConnection } from './connection.ts';
import { privateDatabase } from './private-database.ts';

/** Snapshots kept beside the database when the next upgrade begins. */
const SNAPSHOTS_KEPT = 5;

export interface SqliteMigrationOptions {
  readonly file: string;
  readonly modules: readonly MigrationModule[];
  readonly busyTimeoutMs: number;
}

/** Runs before anything else has the file open, on the caller's thread: there is nothing yet that it could hold up. */
export function migrateSqlite({ file, modules, busyTimeoutMs }: SqliteMigrationOptions): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const connection = new SqliteConnection({ file, readOnly: false, busyTimeoutMs });
  try {
    connection.script(MIGRATIONS_TABLE);
    const applied = readApplied(connection);
    const empty = applied.length === 0;
    const pendings = planMigrations(modules, applied, 'sqlite');
    if (pendings.length > 0) forgetOldSnapshots(file);
    // A database that is being made is there whole or not at all, and is written to disk once.
    if (empty) inTransaction(connection, () => pendings.forEach((pending) => apply(connection, pending)));
    for (const pending of empty ? [] : pendings) {
      takeSnapshot(connection, file, pending);
      inTransaction(connection, () => apply(connection, pending));
    }
  } finally {
    connection.close();
  }
}

function readApplied(connection: SqliteConnection): AppliedMigration[] {
  return connection.all('SELECT module, number, checksum, compatible_from FROM schema_migrations', []).map((row) => ({
    module: String(row['module']),
    number: Number(row['number']),
    checksum: String(row['checksum']),
    compatibleFrom: Number(row['compatible_from']),
  }));
}

function inTransaction(connection: SqliteConnection, change: () => void): void {
  connection.script('BEGIN IMMEDIATE');
  try {
    change();
    connection.script('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.script('ROLLBACK');
    throw error;
  }
}

function apply(connection: SqliteConnection, { module, migration, script, checksum }: PendingMigration): void {
  try {
    connection.script(script);
    connection.run('INSERT INTO schema_migrations VALUES (?, ?, ?, ?, ?, ?)', [
      module,
      migration.number,
      migration.name,
      checksum,
      migration.compatibleFrom,
      Date.now(),
    ]);
  } catch (error) {
    throw new StorageError('MIGRATION_FAILED', `migrate ${module} to ${migration.number} (${migration.name})`, {
      cause: error,
      details: { module, number: migration.number },
    });
  }
}

/** A whole copy, made by SQLite itself, that can be put in the database's place. */
function takeSnapshot(connection: SqliteConnection, file: string, { module, migration }: PendingMigration): void {
  const folder = join(dirname(file), 'snapshots');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const copy = join(folder, `${basename(file)}.${stamp}.before-${module}-${migration.number}`);
  // Into an empty file: it keeps the mode that this one has.
  privateDatabase(copy);
  connection.run('VACUUM INTO ?', [copy]);
}

/** Before a run and never during one: what an upgrade took is there until the next. */
function forgetOldSnapshots(file: string): void {
  const folder = join(dirname(file), 'snapshots');
  if (!existsSync(folder)) return;
  const prefix = `${basename(file)}.`;
  const copies = readdirSync(folder).filter((name) => name.startsWith(prefix));
  for (const old of copies.sort().slice(0, -SNAPSHOTS_KEPT)) rmSync(join(folder, old));
}
