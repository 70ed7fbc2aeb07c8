import type { Engine, Reader } from '../port.ts';
import type { Value } from '../sql.ts';

export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** A new database that is being loaded. It becomes visible with `publish`. */
export interface Loader {
  readonly engine: Engine;
  /** Creates the tables at the migration levels of the dump, without the rows that migrations insert. */
  begin(signal: AbortSignal): Promise<void>;
  insert(rows: TableRows): Promise<void>;
  /** Numbers that the table assigns continue after this one. */
  setCounter(table: string, last: number): Promise<void>;
  /** Re-enables the constraints that were suspended while rows came in any order; throws if one is violated. */
  checkReferences(): Promise<void>;
  /** Reads the loaded rows. */
  read<T>(body: (reader: Reader) => Promise<T>): Promise<T>;
  /** Migrates the tables to the level of this release, then puts the database in place, atomically and on disk. */
  publish(signal: AbortSignal): Promise<void>;
  /** Removes everything that was not published. */
  discard(): Promise<void>;
}
