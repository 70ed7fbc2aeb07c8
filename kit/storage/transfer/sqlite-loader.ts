import { closeSync, existsSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { MigrationModule } from '../migrations.ts';
import type { Reader } from '../port.ts';
import type { Value } from '../sql.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { fromSqlite, toFault } from '../sqlite/sqlite-errors.ts';
import { migrateSqlite } from '../sqlite/sqlite-migrations.ts';
import { textOf } from '../sqlite/writer-protocol.ts';
import { describeTables, quoted } from './describe-tables.ts';
import type { Loader, TableRows } from './loader.ts';
import { TransferError } from './transfer-error.ts';

export interface SqliteLoaderOptions {
  readonly file: string;
  /** The migrations up to the level of the dump; `modules` has those of this release. */
  readonly levels: readonly MigrationModule[];
  readonly modules: readonly MigrationModule[];
}

const BUSY_MS = 5_000;

/** Loads into a folder next to the file; publishing is a rename. A folder left by a killed loader is removed first. */
export class SqliteLoader implements Loader {
  readonly engine = 'sqlite';
  readonly #options: SqliteLoaderOptions;
  readonly #folder: string;
  readonly #draft: string;
  #connection: SqliteConnection | undefined;

  constructor(options: SqliteLoaderOptions) {
    const { file } = options;
    if (existsSync(file)) {
      throw new TransferError(
        'DATABASE_NOT_EMPTY',
        `there is a database in ${file} already; restore beside it, or move it away`,
      );
    }
    const prefix = `${basename(file)}.restoring-`;
    for (const name of readdirSync(dirname(file)).filter((each) => each.startsWith(prefix))) {
      rmSync(join(dirname(file), name), { recursive: true });
    }
    this.#options = options;
    this.#folder = mkdtempSync(join(dirname(file), prefix));
    this.#draft = join(this.#folder, basename(file));
  }

  async begin(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    migrateSqlite({ file: this.#draft, modules: this.#options.levels, busyTimeoutMs: BUSY_MS });
    const connection = new SqliteConnection({ file: this.#draft, readOnly: false, busyTimeoutMs: BUSY_MS });
    this.#connection = connection;
    // Rows come in any order, and a lost draft is loaded again, so neither constraints nor durability are needed.
    connection.script('PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; BEGIN');
    for (const { name } of await this.read((reader) => describeTables(reader, this.engine))) {
      if (name !== 'schema_migrations') connection.script(`DELETE FROM ${quoted(name)}`);
    }
  }

  async insert({ table, columns, rows }: TableRows): Promise<void> {
    const names = columns.map(quoted).join(', ');
    const places = columns.map(() => '?').join(', ');
    const text = `INSERT INTO ${quoted(table)} (${names}) VALUES (${places})`;
    for (const row of rows) this.#ask((connection) => connection.run(text, row));
  }

  async setCounter(table: string, last: number): Promise<void> {
    const counts = this.#all("SELECT 1 AS found FROM sqlite_master WHERE name = 'sqlite_sequence'", []);
    if (counts.length === 0) return;
    const changed = this.#ask((connection) =>
      connection.run('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', [last, table]),
    );
    if (changed > 0 || !this.#isCounted(table)) return;
    this.#ask((connection) => connection.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, last]));
  }

  async checkReferences(): Promise<void> {
    this.#ask((connection) => connection.script('COMMIT'));
    const [broken] = this.#all('PRAGMA foreign_key_check', []);
    if (broken === undefined) return;
    throw new TransferError('LOAD_FAILED', `load ${String(broken['table'])}: a row refers to a missing one`);
  }

  async read<T>(body: (reader: Reader) => Promise<T>): Promise<T> {
    const all: Reader['all'] = async (statement) => this.#all(textOf(statement), statement.values) as never;
    return await body({ all, get: async (statement) => (await all(statement))[0] as never });
  }

  async publish(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#close();
    migrateSqlite({ file: this.#draft, modules: this.#options.modules, busyTimeoutMs: BUSY_MS });
    sync(this.#draft);
    renameSync(this.#draft, this.#options.file);
    sync(dirname(this.#options.file));
  }

  async discard(): Promise<void> {
    this.#close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #isCounted(table: string): boolean {
    const [row] = this.#all('SELECT sql FROM sqlite_master WHERE name = ?', [table]);
    return /AUTOINCREMENT/i.test(String(row?.['sql']));
  }

  #all(text: string, values: readonly Value[]) {
    return this.#ask((connection) => connection.all(text, values));
  }

  #ask<T>(question: (connection: SqliteConnection) => T): T {
    if (this.#connection === undefined) throw new TypeError('a loader begins before it is used');
    try {
      return question(this.#connection);
    } catch (error) {
      throw fromSqlite(toFault(error));
    }
  }

  #close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
