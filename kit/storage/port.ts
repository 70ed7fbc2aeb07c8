import type { Statement, Value } from './sql.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

export type Row = Readonly<Record<string, Value>>;

/** Looks at one consistent state of the database. */
export interface Reader {
  all<R extends Row = Row>(statement: Statement): Promise<R[]>;
  get<R extends Row = Row>(statement: Statement): Promise<R | undefined>;
}

/** A transaction under way. Serialisable on both engines: what it read still holds when it commits, or it is run again. */
export interface Transaction extends Reader {
  /** The number of rows that it changed. */
  run(statement: Statement): Promise<number>;
  /** Statements that need no look at each other's outcome, in one round trip. Guards (`sql.expect`) hold. */
  batch(statements: readonly Statement[]): Promise<number[]>;
}

/**
 * The one door to a database, the same on both engines.
 *
 * An error is a `StorageError`, unless a body threw its own: that one comes through as it is, and nothing of the body
 * stays. A promise that resolved means: on disk. Nothing is visible to a reader before its transaction ended.
 */
export interface Storage {
  readonly engine: Engine;

  /** One statement, on the newest committed state. Never waits for a writer. */
  all<R extends Row = Row>(statement: Statement, signal: AbortSignal): Promise<R[]>;
  get<R extends Row = Row>(statement: Statement, signal: AbortSignal): Promise<R | undefined>;

  /** Several statements on one snapshot. Never waits for a writer. */
  read<T>(body: (reader: Reader) => Promise<T>, signal: AbortSignal): Promise<T>;

  /**
   * Looks first, then writes. The body may be run again after a serialisation failure, so it touches nothing but its
   * transaction. Throwing rolls back. It holds the writer while it runs, so it has a deadline and never waits for a peer.
   */
  write<T>(body: (tx: Transaction) => Promise<T>, signal: AbortSignal): Promise<T>;

  /**
   * Writes what is already known: all of the batch or nothing, one round trip, many callers' batches to one disk sync.
   * This is the fast way; `sql.expect` makes it safe against what changed since the caller looked.
   */
  commit(batch: readonly Statement[], signal: AbortSignal): Promise<number[]>;

  /**
   * Calls back after a transaction with a statement marked `sql.announce(topic, ...)` was committed by this process, and
   * after any process announced the topic. Several may be folded into one call; a listener looks at the state, not at
   * the call. Returns the way to stop listening.
   */
  onAnnounced(topic: string, listener: () => void): () => void;

  /** Tells the other processes on the same database. */
  announce(topic: string, signal: AbortSignal): Promise<void>;

  /** Lets what was begun finish, refuses what comes after, and releases every file and connection. */
  close(): Promise<void>;
}
