import { Mutex, unlessAborted } from '#kit/std';
import { Announcements } from '../announcements.ts';
import { type MigrationModule, planMigrations } from '../migrations.ts';
import type { Reader, Row, Storage, Transaction } from '../port.ts';
import type { Statement } from '../sql.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { fromSqlite, toFault } from '../sqlite/sqlite-errors.ts';
import { textOf } from '../sqlite/writer-protocol.ts';
import { guardFailed, StorageError } from '../storage-error.ts';

/**
 * SQLite in memory, on the caller's thread: for simulations that need thousands of databases and the same order of events in
 * every run. There is one connection, so operations run one after another, readers included; a body must not use the storage
 * that runs it.
 */
export class MemoryStorage implements Storage {
  readonly engine = 'sqlite';
  readonly #connection = new SqliteConnection({ file: ':memory:', readOnly: false, busyTimeoutMs: 0 });
  readonly #announcements = new Announcements();
  readonly #turns = new Mutex();
  readonly #tables: readonly string[];

  constructor(modules: readonly MigrationModule[]) {
    for (const { script } of planMigrations(modules, [], 'sqlite')) this.#connection.script(script);
    // A table is emptied before those that it refers to.
    this.#tables = this.#connection
      .all(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid DESC`, [])
      .map((row) => String(row['name']));
  }

  async all<R extends Row>(statement: Statement, signal: AbortSignal): Promise<R[]> {
    return await this.#turns.run(async () => this.#query<R>(statement), signal);
  }

  async get<R extends Row>(statement: Statement, signal: AbortSignal): Promise<R | undefined> {
    return (await this.all<R>(statement, signal))[0];
  }

  async read<T>(body: (reader: Reader) => Promise<T>, signal: AbortSignal): Promise<T> {
    return await this.write(body, signal);
  }

  async write<T>(body: (tx: Transaction) => Promise<T>, signal: AbortSignal): Promise<T> {
    return await this.#turns.run(async () => {
      const topics = new Set<string>();
      const tx = this.#transaction(topics);
      this.#connection.script('BEGIN');
      try {
        const value = await unlessAborted(body(tx), signal);
        const error = tx.end();
        if (error !== undefined) throw error;
        this.#connection.script('COMMIT');
        this.#announcements.tell(topics);
        return value;
      } catch (error) {
        tx.end();
        this.#connection.script('ROLLBACK');
        throw error;
      }
    }, signal);
  }

  async commit(batch: readonly Statement[], signal: AbortSignal): Promise<number[]> {
    return await this.write((tx) => tx.batch(batch), signal);
  }

  onAnnounced(topic: string, listener: () => void): () => void {
    return this.#announcements.listen(topic, listener);
  }

  async announce(topic: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#announcements.tell([topic]);
  }

  /** An empty database again. */
  clear(): void {
    for (const table of this.#tables) this.#connection.run(`DELETE FROM ${table}`, []);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  /** After an error it can only end, as on the real engines. */
  #transaction(topics: Set<string>): Transaction & { end(): StorageError | undefined } {
    let over: StorageError | undefined;
    const guarded = async <T>(work: () => T): Promise<T> => {
      if (over !== undefined) throw over;
      try {
        return work();
      } catch (error) {
        over = asStorageError(error);
        throw over;
      }
    };
    const batch = (statements: readonly Statement[]) => guarded(() => this.#run(statements, topics));
    return {
      all: <R extends Row>(statement: Statement) => guarded(() => this.#query<R>(statement)),
      get: <R extends Row>(statement: Statement) => guarded(() => this.#query<R>(statement)[0]),
      run: async (statement) => (await batch([statement]))[0] ?? 0,
      batch,
      end: () => {
        const error = over;
        over = new StorageError('CLOSED', 'the transaction has ended');
        return error;
      },
    };
  }

  #run(statements: readonly Statement[], topics: Set<string>): number[] {
    return statements.map((statement, index) => {
      const { expected, topic, values } = statement;
      const changed = this.#sqlite(() => this.#connection.run(textOf(statement), values));
      if (expected !== undefined && changed !== expected) throw guardFailed(index, expected, changed);
      if (topic !== undefined) topics.add(topic);
      return changed;
    });
  }

  /** The caller knows the columns it selected. */
  #query<R extends Row>(statement: Statement): R[] {
    return this.#sqlite(() => this.#connection.all(textOf(statement), statement.values)) as R[];
  }

  #sqlite<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw fromSqlite(toFault(error));
    }
  }
}

function asStorageError(error: unknown): StorageError {
  return error instanceof StorageError ? error : fromSqlite(toFault(error));
}
