import type { Statement, Value } from './sql.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

export type Row = Readonly<Record<string, Value>>;

/** Reads one consistent state of the database. */
export interface Reader {
  all<R extends Row = Row>(statement: Statement): Promise<R[]>;
  get<R extends Row = Row>(statement: Statement): Promise<R | undefined>;
}

/**
 * An open transaction, serializable on both engines: either everything it read still holds when it commits, or it is
 * run again.
 */
export interface Transaction extends Reader {
  /** Returns the number of changed rows. */
  run(statement: Statement): Promise<number>;
  /** Runs statements that do not depend on each other's results in one round trip. Guards (`sql.expect`) apply. */
  batch(statements: readonly Statement[]): Promise<number[]>;
}

/**
 * Access to a database, the same on both engines.
 *
 * Every error is a `StorageError`, except for errors thrown by a body: these are rethrown unchanged, after a rollback.
 * When a promise resolves, the data is on disk. No change is visible to readers before its transaction has ended.
 */
export interface Storage {
  readonly engine: Engine;

  /** One statement, on the latest committed state. Never waits for a writer. */
  all<R extends Row = Row>(statement: Statement, signal: AbortSignal): Promise<R[]>;
  get<R extends Row = Row>(statement: Statement, signal: AbortSignal): Promise<R | undefined>;

  /** Several statements on one snapshot. Never waits for a writer. */
  read<T>(body: (reader: Reader) => Promise<T>, signal: AbortSignal): Promise<T>;

  /**
   * Reads, then writes. The body may be run again after a serialization failure, so it must have no effects outside its
   * transaction. Throwing rolls back. The body holds the writer while it runs, so it has a deadline and must not wait
   * for a peer.
   */
  write<T>(body: (tx: Transaction) => Promise<T>, signal: AbortSignal): Promise<T>;

  /**
   * Writes a batch that depends on no reads: all of it or nothing, in one round trip; the batches of many callers share
   * one disk sync. This is the fast path; `sql.expect` guards against changes since the caller's read.
   */
  commit(batch: readonly Statement[], signal: AbortSignal): Promise<number[]>;

  /**
   * Calls the listener after this process commits a transaction with a statement marked `sql.announce(topic, ...)`, and
   * after any process announces the topic. Several announcements may be merged into one call: a listener reads the
   * state and does not count calls. Returns a function that removes the listener.
   */
  onAnnounced(topic: string, listener: () => void): () => void;

  /** Notifies the other processes on the same database. */
  announce(topic: string, signal: AbortSignal): Promise<void>;

  /** Finishes the operations in progress, refuses new ones, and releases every file and connection. */
  close(): Promise<void>;
}
