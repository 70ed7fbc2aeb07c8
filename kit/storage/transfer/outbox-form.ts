import type { Engine } from '../port.ts';

/**
 * The only tables that differ between the engines: Postgres has `outbox` (arrived) and `outbox_log` (in order), SQLite
 * has a single table `outbox`, which is the log. A dump has the form of Postgres.
 */
const LOG = 'outbox_log';
const ARRIVED = 'outbox';

export function nameInDump(engine: Engine, table: string): string {
  return engine === 'sqlite' && table === ARRIVED ? LOG : table;
}

export interface LoadTarget {
  readonly table: string;
  /** A column that the table assigns itself. */
  readonly without?: string;
}

export function targetOf(engine: Engine, name: string): LoadTarget {
  if (engine === 'sqlite' && name === LOG) return { table: ARRIVED };
  if (engine === 'sqlite' && name === ARRIVED) return { table: ARRIVED, without: 'sequence' };
  return { table: name };
}

/** Arrived events come after the log, so that they get the positions after it. */
export function inDumpOrder(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => (name === ARRIVED ? `${LOG}~` : name));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/** The table into which these rows are merged, for counting the rows expected in the end. */
export function mergesInto(engine: Engine, name: string): string {
  return nameInDump(engine, targetOf(engine, name).table);
}
