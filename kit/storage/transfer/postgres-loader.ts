import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { MigrationModule } from '../migrations.ts';
import type { Reader } from '../port.ts';
import { clientConfig, type PostgresAddress } from '../postgres/postgres-connection.ts';
import { fromPostgres } from '../postgres/postgres-errors.ts';
import { migratePostgres } from '../postgres/postgres-migrations.ts';
import { PostgresTransaction } from '../postgres/postgres-transaction.ts';
import { describeTables, quoted } from './describe-tables.ts';
import type { Loader, TableRows } from './loader.ts';
import { TransferError } from './transfer-error.ts';

export interface PostgresLoaderOptions {
  readonly url: string;
  readonly schema?: string;
  /** The migrations up to the level of the dump; `modules` has those of this release. */
  readonly levels: readonly MigrationModule[];
  readonly modules: readonly MigrationModule[];
}

/** Maximum number of values in one statement. */
const VALUES = 30_000;

interface Reference {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Loads into a schema next to ours; publishing is a rename. Schemas left by killed loaders are dropped first. */
export class PostgresLoader implements Loader {
  readonly engine = 'postgres';
  readonly #options: PostgresLoaderOptions;
  readonly #schema: string;
  readonly #address: PostgresAddress;
  #client: pg.Client | undefined;
  #references: readonly Reference[] = [];

  private constructor(options: PostgresLoaderOptions) {
    const { url, schema = 'fleetshift' } = options;
    this.#options = options;
    this.#schema = schema;
    const draft = `${schema}_restoring_${randomBytes(4).toString('hex')}`;
    this.#address = { url, schema: draft, connectTimeoutMs: 5_000, statementTimeoutMs: 0 };
  }

  static async open(options: PostgresLoaderOptions): Promise<PostgresLoader> {
    const loader = new PostgresLoader(options);
    try {
      const client = new pg.Client({ ...clientConfig(loader.#address), idle_in_transaction_session_timeout: 0 });
      // A broken connection also rejects the pending query, whose error is more useful.
      client.on('error', () => {});
      await client.connect();
      loader.#client = client;
      await loader.#refuseUnlessEmpty();
      await loader.#dropDrafts();
      return loader;
    } catch (error) {
      await loader.#client?.end();
      throw error instanceof TransferError ? error : fromPostgres(error);
    }
  }

  async begin(signal: AbortSignal): Promise<void> {
    await migratePostgres(this.#address, this.#options.levels, signal);
    this.#references = await this.#readReferences();
    for (const { table, name } of this.#references) {
      await this.#ask(`ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`);
    }
    for (const { name } of await this.read((reader) => describeTables(reader, this.engine))) {
      if (name !== 'schema_migrations') await this.#ask(`DELETE FROM ${quoted(name)}`);
    }
  }

  async insert({ table, columns, rows }: TableRows): Promise<void> {
    const names = columns.map(quoted).join(', ');
    const size = Math.max(1, Math.floor(VALUES / columns.length));
    for (let start = 0; start < rows.length; start += size) {
      const part = rows.slice(start, start + size);
      const places = part.map(
        (row, at) => `(${row.map((_, column) => `$${at * columns.length + column + 1}`).join(', ')})`,
      );
      const text = `INSERT INTO ${quoted(table)} (${names}) OVERRIDING SYSTEM VALUE VALUES ${places.join(', ')}`;
      await this.#ask(text, part.flat());
    }
  }

  async setCounter(table: string, last: number): Promise<void> {
    const { rows } = await this.#ask(
      `SELECT a.attname::text AS name FROM pg_attribute AS a WHERE a.attrelid = $1::regclass AND a.attidentity <> ''`,
      [quoted(table)],
    );
    for (const { name } of rows as { name: string }[]) {
      await this.#ask('SELECT setval(pg_get_serial_sequence($1, $2)::regclass, $3)', [quoted(table), name, last]);
    }
  }

  async checkReferences(): Promise<void> {
    for (const { table, name, definition } of this.#references) {
      await this.#ask(`ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
    }
  }

  async read<T>(body: (reader: Reader) => Promise<T>): Promise<T> {
    return await body(new PostgresTransaction(this.#connected()));
  }

  async publish(signal: AbortSignal): Promise<void> {
    await migratePostgres(this.#address, this.#options.modules, signal);
    await this.#ask('BEGIN');
    await this.#refuseUnlessEmpty();
    await this.#ask(`DROP SCHEMA IF EXISTS ${this.#schema} CASCADE`);
    await this.#ask(`ALTER SCHEMA ${this.#address.schema} RENAME TO ${this.#schema}`);
    await this.#ask('COMMIT');
  }

  async discard(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    try {
      // Either there is no open transaction, or it is to be discarded.
      await client.query('ROLLBACK');
      await dropAll(client, this.#address.schema);
    } finally {
      await client.end();
    }
  }

  /** A database that was just opened has the migrations table, without rows. */
  async #refuseUnlessEmpty(): Promise<void> {
    const { rows } = await this.#ask(
      `SELECT c.relname::text AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relkind IN ('r', 'v', 'm', 'p')`,
      [this.#schema],
    );
    const names = (rows as { name: string }[]).map(({ name }) => name);
    if (names.length === 0) return;
    const isFresh = names.length === 1 && names[0] === 'schema_migrations';
    const used = isFresh ? (await this.#ask(`SELECT 1 FROM ${this.#schema}.schema_migrations LIMIT 1`)).rowCount : 1;
    if (used === 0) return;
    throw new TransferError(
      'DATABASE_NOT_EMPTY',
      `the Postgres database has a schema ${this.#schema} with tables already; restore into another database`,
    );
  }

  async #dropDrafts(): Promise<void> {
    await dropAll(this.#connected(), `${this.#schema}_restoring_`);
  }

  async #readReferences(): Promise<Reference[]> {
    const { rows } = await this.#ask(
      `SELECT r.relname::text AS "table", c.conname::text AS name, pg_get_constraintdef(c.oid) AS definition
       FROM pg_constraint AS c JOIN pg_class AS r ON r.oid = c.conrelid
       WHERE c.contype = 'f' AND c.connamespace = $1::regnamespace`,
      [this.#address.schema],
    );
    return rows as Reference[];
  }

  #connected(): pg.Client {
    if (this.#client === undefined) throw new TypeError('the loader was discarded');
    return this.#client;
  }

  async #ask(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    try {
      return await this.#connected().query(text, [...values]);
    } catch (error) {
      throw fromPostgres(error);
    }
  }
}

/** Also drops its pre-migration snapshots. */
async function dropAll(client: pg.Client, prefix: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT nspname::text AS name FROM pg_namespace WHERE starts_with(nspname, $1)',
    [prefix],
  );
  for (const { name } of rows) await client.query(`DROP SCHEMA ${quoted(name)} CASCADE`);
}
