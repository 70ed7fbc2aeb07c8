import type { Engine, Reader } from '../port.ts';
import type { Value } from '../sql.ts';

export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** A new database on its way to become the one that is asked for. Nobody sees it before `publish`. */
export interface Loader {
  readonly engine: Engine;
  /** Makes its tables, to these levels, without the rows that migrations put there. */
  begin(signal: AbortSignal): Promise<void>;
  insert(rows: TableRows): Promise<void>;
  /** What the table gives out next comes after this. */
  setCounter(table: string, last: number): Promise<void>;
  /** Everything that was put aside while rows came in any order holds again; throws when it does not. */
  checkReferences(): Promise<void>;
  /** Looks at what was loaded. */
  read<T>(body: (reader: Reader) => Promise<T>): Promise<T>;
  /** Brings its tables to what this release has, then puts it in place, at once and on disk. */
  publish(signal: AbortSignal): Promise<void>;
  /** Takes everything away that was not published. */
  discard(): Promise<void>;
}
