import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { Row } from '../port.ts';
import type { Value } from '../sql.ts';

/** Enough for every statement of the code; lists of varying length make more, and the oldest go. */
const PREPARED_LIMIT = 500;

export interface ConnectionOptions {
  readonly file: string;
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
}

/** One SQLite connection with the settings that we promise on, and statements prepared once. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(options: ConnectionOptions) {
    this.#database = new DatabaseSync(options.file, {
      readOnly: options.readOnly,
      timeout: options.busyTimeoutMs,
      enableForeignKeyConstraints: true,
    });
    if (!options.readOnly) {
      // FULL: a transaction that was acknowledged survives a power cut, not just a killed process.
      this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    }
    this.#database.exec('PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY');
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** A script of any number of statements, without values. */
  script(text: string): void {
    this.#database.exec(text);
  }

  run(text: string, values: readonly Value[]): number {
    return Number(this.#prepare(text).run(...values).changes);
  }

  all(text: string, values: readonly Value[]): Row[] {
    return this.#prepare(text)
      .all(...values)
      .map(toRow);
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #prepare(text: string): StatementSync {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    if (this.#prepared.size >= PREPARED_LIMIT) this.#forgetOldest();
    this.#prepared.set(text, statement);
    return statement;
  }

  #forgetOldest(): void {
    const oldest = this.#prepared.keys().next();
    if (!oldest.done) this.#prepared.delete(oldest.value);
  }
}

/** node:sqlite's rows have no prototype; ours are plain objects on both engines. */
function toRow(row: Record<string, SQLOutputValue>): Row {
  return { ...row } as Row;
}
