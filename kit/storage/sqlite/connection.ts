import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { Row } from '../port.ts';
import type { Value } from '../sql.ts';
import { privateDatabase } from './private-database.ts';

/** Enough for every statement of the code. Lists of varying length create more; then the oldest are dropped. */
const PREPARED_LIMIT = 500;

export interface ConnectionOptions {
  readonly file: string;
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
}

interface Prepared {
  readonly statement: StatementSync;
  /** The column names, in order. */
  readonly names: readonly string[];
}

/** One SQLite connection with the settings that our guarantees rely on, and with prepared statements. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(options: ConnectionOptions) {
    if (!options.readOnly) privateDatabase(options.file);
    this.#database = new DatabaseSync(options.file, {
      readOnly: options.readOnly,
      timeout: options.busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    if (!options.readOnly) {
      // FULL: an acknowledged transaction survives a power cut, not just a killed process.
      this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    }
    this.#database.exec('PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY');
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs any number of statements, without values. */
  script(text: string): void {
    this.#database.exec(text);
  }

  run(text: string, values: readonly Value[]): number {
    return Number(this.#prepare(text).statement.run(...values).changes);
  }

  all(text: string, values: readonly Value[]): Row[] {
    const { statement, names } = this.#prepare(text);
    // node:sqlite types rows as objects even when arrays are requested.
    const rows = statement.all(...values) as unknown as SQLOutputValue[][];
    return rows.map((cells) => toRow(names, cells));
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    // DECISION: rows are fetched as arrays and converted to objects here. Row objects of node:sqlite have no prototype,
    // but ours are plain objects on both engines, and copying takes more than twice as long as building them.
    statement.setReturnArrays(true);
    const prepared = { statement, names: statement.columns().map(({ name }) => name) };
    if (this.#prepared.size >= PREPARED_LIMIT) this.#forgetOldest();
    this.#prepared.set(text, prepared);
    return prepared;
  }

  #forgetOldest(): void {
    const oldest = this.#prepared.keys().next();
    if (!oldest.done) this.#prepared.delete(oldest.value);
  }
}

/** All rows of a statement get their columns in the same order, which lets V8 share their shape. */
function toRow(names: readonly string[], cells: readonly SQLOutputValue[]): Row {
  const row: Record<string, SQLOutputValue> = {};
  for (let column = 0; column < names.length; column += 1) row[names[column] ?? ''] = cells[column] ?? null;
  return row as Row;
}
