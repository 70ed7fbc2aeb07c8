import { yieldIfLong } from '#kit/std';
import type { Reader, Row } from '../port.ts';
import type { Statement } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { withinDeadline } from '../within-deadline.ts';
import { type ConnectionOptions, SqliteConnection } from './connection.ts';
import { fromSqlite, toFault } from './sqlite-errors.ts';
import { textOf } from './writer-protocol.ts';

/** Maximum number of open snapshots; further readers wait. */
const SNAPSHOTS = 8;

/**
 * Reads run on the caller's thread: a lookup takes microseconds, whereas a round trip to another thread takes fifty.
 * With WAL they see the latest committed state, whatever the writer is doing.
 */
export class SqliteReaders {
  readonly #options: ConnectionOptions;
  readonly #latest: SqliteConnection;
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];
  #opened = 0;
  #drained: (() => void) | undefined;
  #closed = false;

  constructor(options: Omit<ConnectionOptions, 'readOnly'>) {
    this.#options = { ...options, readOnly: true };
    this.#latest = new SqliteConnection(this.#options);
  }

  all<R extends Row>(statement: Statement): R[] {
    if (this.#closed) throw new StorageError('CLOSED', 'the database is closed');
    return query<R>(this.#latest, statement);
  }

  async snapshot<T>(body: (reader: Reader) => Promise<T>, deadlineMs: number, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#closed) throw new StorageError('CLOSED', 'the database is closed');
    const connection = await this.#borrow();
    const reader = new SnapshotReader(connection);
    try {
      connection.script('BEGIN');
      return await withinDeadline(body(reader), deadlineMs, signal);
    } finally {
      reader.end();
      connection.script('ROLLBACK');
      this.#giveBack(connection);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#idle.length < this.#opened) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    for (const connection of [this.#latest, ...this.#idle]) connection.close();
  }

  async #borrow(): Promise<SqliteConnection> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#opened >= SNAPSHOTS) return await new Promise((resolve) => this.#waiting.push(resolve));
    this.#opened++;
    return new SqliteConnection(this.#options);
  }

  #giveBack(connection: SqliteConnection): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next(connection);
    this.#idle.push(connection);
    if (this.#idle.length === this.#opened) this.#drained?.();
  }
}

class SnapshotReader implements Reader {
  #connection: SqliteConnection | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async all<R extends Row>(statement: Statement): Promise<R[]> {
    if (this.#connection === undefined) throw new StorageError('CLOSED', 'the snapshot has ended');
    const rows = query<R>(this.#connection, statement);
    // Reads never wait: a body that reads thousands of rows in pieces would hold up all other work of the process.
    await yieldIfLong();
    return rows;
  }

  async get<R extends Row>(statement: Statement): Promise<R | undefined> {
    return (await this.all<R>(statement))[0];
  }

  end(): void {
    this.#connection = undefined;
  }
}

function query<R extends Row>(connection: SqliteConnection, statement: Statement): R[] {
  try {
    // The caller knows the columns it selected; rows contain exactly those.
    return connection.all(textOf(statement), statement.values) as R[];
  } catch (error) {
    throw fromSqlite(toFault(error));
  }
}
