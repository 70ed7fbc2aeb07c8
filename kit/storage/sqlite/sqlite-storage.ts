import { Announcements } from '../announcements.ts';
import type { MigrationModule } from '../migrations.ts';
import type { Reader, Row, Storage, Transaction } from '../port.ts';
import type { Statement } from '../sql.ts';
import { StorageError } from '../storage-error.ts';
import { fromSqlite, toFault } from './sqlite-errors.ts';
import { migrateSqlite } from './sqlite-migrations.ts';
import { SqliteReaders } from './sqlite-readers.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { WriterSession } from './writer-session.ts';

export interface SqliteOptions {
  readonly file: string;
  readonly modules: readonly MigrationModule[];
  /** How long the writer waits for another process that holds the file. */
  readonly busyTimeoutMs?: number;
  /** How long one body may hold the writer or a snapshot. */
  readonly transactionTimeoutMs?: number;
}

/** Opens the file, migrates its tables, and starts the writer thread. */
export async function openSqlite(options: SqliteOptions, signal: AbortSignal): Promise<Storage> {
  signal.throwIfAborted();
  const { file, modules, busyTimeoutMs = 5_000, transactionTimeoutMs = 10_000 } = options;
  try {
    migrateSqlite({ file, modules, busyTimeoutMs });
    const announcements = new Announcements();
    const writer = new SqliteWriter({
      openSession: () => WriterSession.open({ file, readOnly: false, busyTimeoutMs }),
      transactionTimeoutMs,
      onCommitted: (topics) => announcements.tell(topics),
    });
    await writer.start();
    const readers = new SqliteReaders({ file, busyTimeoutMs });
    return new SqliteStorage({ writer, readers, announcements, transactionTimeoutMs });
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const fault = toFault(error);
    if (fault.errcode !== undefined) throw fromSqlite(fault);
    throw new StorageError('DATABASE_UNAVAILABLE', `open the database file ${file} (${fault.message})`, {
      cause: error,
    });
  }
}

interface SqliteParts {
  readonly writer: SqliteWriter;
  readonly readers: SqliteReaders;
  readonly announcements: Announcements;
  readonly transactionTimeoutMs: number;
}

class SqliteStorage implements Storage {
  readonly engine = 'sqlite';
  readonly #parts: SqliteParts;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
  }

  async all<R extends Row>(statement: Statement, signal: AbortSignal): Promise<R[]> {
    signal.throwIfAborted();
    return this.#parts.readers.all<R>(statement);
  }

  async get<R extends Row>(statement: Statement, signal: AbortSignal): Promise<R | undefined> {
    return (await this.all<R>(statement, signal))[0];
  }

  async read<T>(body: (reader: Reader) => Promise<T>, signal: AbortSignal): Promise<T> {
    return await this.#parts.readers.snapshot(body, this.#parts.transactionTimeoutMs, signal);
  }

  write<T>(body: (tx: Transaction) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#parts.writer.transact(body, signal);
  }

  commit(batch: readonly Statement[], signal: AbortSignal): Promise<number[]> {
    return this.#parts.writer.commit(batch, signal);
  }

  onAnnounced(topic: string, listener: () => void): () => void {
    return this.#parts.announcements.listen(topic, listener);
  }

  /** Only one process uses a file, so there are no listeners elsewhere. */
  async announce(topic: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#parts.announcements.tell([topic]);
  }

  async close(): Promise<void> {
    // The last connection to close checkpoints the WAL into the database, which read-only connections cannot do.
    await Promise.all([this.#parts.writer.drain(), this.#parts.readers.close()]);
    await this.#parts.writer.close();
  }
}
