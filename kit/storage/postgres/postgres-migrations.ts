import pg from 'pg';
import { sleep } from '#kit/std';
import {
  type AppliedMigration,
  MIGRATIONS_TABLE,
  type MigrationModule,
  type PendingMigration,
  planMigrations,
} from '../migrations.ts';
import { StorageError } from '../storage-error.ts';
import { clientConfig, type PostgresAddress } from './postgres-connection.ts';
import { fromPostgres } from './postgres-errors.ts';

const SNAPSHOTS_KEPT = 3;
/** Any fixed number; two processes that migrate at once wait for each other on it. */
const MIGRATION_LOCK = 7_012_026;
const TURN_MS = 200;

/**
 * Text that lists are sorted by: byte order, as on SQLite, whatever the locale of the server. SQLite takes any type name,
 * and one with TEXT in it is text, so that one script serves both.
 */
const KEYTEXT = `
DO $$ BEGIN
  IF to_regtype('keytext') IS NULL THEN CREATE DOMAIN keytext AS text COLLATE "C"; END IF;
END $$`;

/** One process at a time; each migration is one transaction, with the snapshot that it begins with. */
export async function migratePostgres(
  address: PostgresAddress,
  modules: readonly MigrationModule[],
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({ ...clientConfig(address), statement_timeout: 0, lock_timeout: 0 });
  // A connection that breaks also rejects the query under way, which says it better.
  client.on('error', () => {});
  try {
    await client.connect();
    await takeTurn(client, signal);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${address.schema}`);
    await client.query(KEYTEXT);
    await client.query(MIGRATIONS_TABLE);
    const applied = await readApplied(client);
    const pendings = planMigrations(modules, applied, 'postgres');
    if (pendings.length > 0) await forgetOldSnapshots(client, address.schema);
    for (const pending of pendings) {
      signal.throwIfAborted();
      await apply(client, pending, applied.length > 0 ? address.schema : undefined);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw fromPostgres(error);
  } finally {
    await client.end();
  }
}

/** Asks again and again rather than waiting in the server: so that whoever starts it can also stop it. */
async function takeTurn(client: pg.Client, signal: AbortSignal): Promise<void> {
  for (;;) {
    const answer = await client.query<{ mine: number }>('SELECT pg_try_advisory_lock($1) AS mine', [MIGRATION_LOCK]);
    if (answer.rows[0]?.mine === 1) return;
    await sleep(TURN_MS, signal);
  }
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<Record<string, unknown>>(
    'SELECT module, number, checksum, compatible_from FROM schema_migrations',
  );
  return rows.map((row) => ({
    module: String(row['module']),
    number: Number(row['number']),
    checksum: String(row['checksum']),
    compatibleFrom: Number(row['compatible_from']),
  }));
}

async function apply(client: pg.Client, pending: PendingMigration, snapshotOf: string | undefined): Promise<void> {
  const { module, migration, script, checksum } = pending;
  try {
    await client.query('BEGIN');
    if (snapshotOf !== undefined) await takeSnapshot(client, snapshotOf, pending);
    await client.query(script);
    await client.query('INSERT INTO schema_migrations VALUES ($1, $2, $3, $4, $5, $6)', [
      module,
      migration.number,
      migration.name,
      checksum,
      migration.compatibleFrom,
      Date.now(),
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw new StorageError('MIGRATION_FAILED', `migrate ${module} to ${migration.number} (${migration.name})`, {
      cause: error,
      details: { module, number: migration.number },
    });
  }
}

/**
 * DECISION: a copy of every table in a schema beside ours, made in the migration's own transaction. It needs no tool and
 * no privilege beyond creating a schema, and is exactly what the migration saw.
 */
async function takeSnapshot(client: pg.Client, schema: string, { module, migration }: PendingMigration): Promise<void> {
  const copy = `${schema}_before_${Date.now()}_${module.replaceAll('-', '_')}_${migration.number}`;
  await client.query(`CREATE SCHEMA ${copy}`);
  const tables = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY tablename',
    [schema],
  );
  for (const { name } of tables.rows) {
    const columns = await columnsOf(client, schema, name);
    await client.query(`CREATE TABLE ${copy}."${name}" AS SELECT ${columns} FROM ${schema}."${name}"`);
  }
}

/** Our own type goes with our schema, so that a copy which outlives it holds plain text. */
async function columnsOf(client: pg.Client, schema: string, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string; domain: string | null }>(
    `SELECT column_name AS name, domain_name AS domain FROM information_schema.columns
     WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`,
    [schema, table],
  );
  return rows.map(({ name, domain }) => (domain === null ? `"${name}"` : `"${name}"::text AS "${name}"`)).join(', ');
}

/** Before a run and never during one: what an upgrade took is there until the next. */
async function forgetOldSnapshots(client: pg.Client, schema: string): Promise<void> {
  const copies = await client.query<{ name: string }>(
    'SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1) ORDER BY nspname',
    [`${schema}_before_`],
  );
  for (const { name } of copies.rows.slice(0, -SNAPSHOTS_KEPT)) await client.query(`DROP SCHEMA "${name}" CASCADE`);
}
