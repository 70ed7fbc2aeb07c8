import { createHash } from 'node:crypto';
import type { Engine } from './port.ts';
import { StorageError } from './storage-error.ts';

/** One step forward of one module's tables. Once released it is never edited: its checksum is kept in the database. */
export interface Migration {
  /** 1, 2, 3, ... within its module. */
  readonly number: number;
  readonly name: string;
  /**
   * Code that knows this module only up to this number still runs on the new schema. A migration that adds says the
   * previous number; one that removes may only do so when no supported release reads what it removes.
   */
  readonly compatibleFrom: number;
  /** One script where both engines agree: TEXT, BIGINT, DOUBLE PRECISION, and KEYTEXT for what lists are sorted by. */
  readonly up: string | Readonly<Record<Engine, string>>;
}

/** The tables of one part of the code, with a history of their own. */
export interface MigrationModule {
  readonly module: string;
  readonly migrations: readonly Migration[];
}

/** A migration as the database remembers it. */
export interface AppliedMigration {
  readonly module: string;
  readonly number: number;
  readonly checksum: string;
  readonly compatibleFrom: number;
}

export interface PendingMigration {
  readonly module: string;
  readonly migration: Migration;
  readonly script: string;
  readonly checksum: string;
}

/** The same on both engines, so that the plan is one pure function. */
export const MIGRATIONS_TABLE = `
CREATE TABLE IF NOT EXISTS schema_migrations (
  module TEXT NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  compatible_from INTEGER NOT NULL,
  applied_at BIGINT NOT NULL,
  PRIMARY KEY (module, number)
)`;

/** What is to be applied, in order; throws when this code must not run on that database. */
export function planMigrations(
  modules: readonly MigrationModule[],
  applied: readonly AppliedMigration[],
  engine: Engine,
): PendingMigration[] {
  return modules.flatMap((module) => {
    checkNumbering(module);
    const history = applied.filter((done) => done.module === module.module);
    for (const done of history) checkApplied(module, done, engine);
    checkNoGap(module, history);
    return module.migrations
      .filter((migration) => !history.some((done) => done.number === migration.number))
      .map((migration) => pending(module.module, migration, engine));
  });
}

function pending(module: string, migration: Migration, engine: Engine): PendingMigration {
  const script = scriptFor(migration, engine);
  return { module, migration, script, checksum: checksum(script) };
}

function scriptFor(migration: Migration, engine: Engine): string {
  return typeof migration.up === 'string' ? migration.up : migration.up[engine];
}

function checksum(script: string): string {
  return createHash('sha256').update(script).digest('hex');
}

function checkNumbering(module: MigrationModule): void {
  module.migrations.forEach((migration, index) => {
    if (migration.number !== index + 1 || migration.compatibleFrom >= migration.number) {
      throw new TypeError(`migrations of ${module.module} are numbered 1, 2, 3 and compatible from an earlier one`);
    }
  });
}

function checkApplied(module: MigrationModule, done: AppliedMigration, engine: Engine): void {
  const known = module.migrations[done.number - 1];
  if (known === undefined) {
    if (done.compatibleFrom <= module.migrations.length) return;
    throw new StorageError(
      'SCHEMA_TOO_NEW',
      `the database's ${module.module} tables are at ${done.number} and need a release that knows at least ` +
        `${done.compatibleFrom}; this one knows ${module.migrations.length}. Start the newer release, or restore the ` +
        'snapshot that was taken before its migration.',
      { details: { module: module.module, found: done.number, known: module.migrations.length } },
    );
  }
  if (checksum(scriptFor(known, engine)) === done.checksum) return;
  throw new StorageError(
    'MIGRATION_CHANGED',
    `migration ${done.number} (${known.name}) of ${module.module} is not the one that this database was migrated with: ` +
      'start the version that migrated it, or restore a backup that was taken with that version',
    { details: { module: module.module, number: done.number } },
  );
}

function checkNoGap(module: MigrationModule, history: readonly AppliedMigration[]): void {
  const newest = Math.max(0, ...history.map((done) => done.number));
  if (history.length === newest) return;
  throw new StorageError('MIGRATION_CHANGED', `the history of ${module.module} in this database has a gap`, {
    details: { module: module.module, newest, recorded: history.length },
  });
}
