import type { Row, Statement } from '#kit/storage';

/** Either ours or the raw driver: the same work, so that the two can be set beside each other. */
export interface Subject {
  /** `count` transactions, `width` of them to one disk sync. */
  write(transactions: readonly (readonly Statement[])[], width: number): Promise<void>;
  read(statement: Statement): Promise<Row | undefined>;
  readAll(statement: Statement): Promise<Row[]>;
  /** One statement that takes long, off the thread that reads. */
  writeLong(statement: Statement): Promise<void>;
  close(): Promise<void>;
}
