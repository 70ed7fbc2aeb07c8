import type { Row, Statement } from '#kit/storage';

/** Ours or the raw driver: the same work, for comparison. */
export interface Subject {
  /** Writes the transactions, `width` of them per disk sync. */
  write(transactions: readonly (readonly Statement[])[], width: number): Promise<void>;
  read(statement: Statement): Promise<Row | undefined>;
  readAll(statement: Statement): Promise<Row[]>;
  /** One long statement, off the reading thread. */
  writeLong(statement: Statement): Promise<void>;
  close(): Promise<void>;
}
