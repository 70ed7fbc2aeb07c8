import type { Engine } from '../port.ts';

/**
 * The one table that the engines have in different forms: what Postgres has as `outbox` (arrived) and `outbox_log` (in
 * order), SQLite has as one table `outbox`, which is the log. A dump has the form of Postgres.
 */
const LOG = 'outbox_log';
const ARRIVED = 'outbox';

export function nameInDump(engine: Engine, table: string): string {
  return engine === 'sqlite' && table === ARRIVED ? LOG : table;
}

export interface LoadTarget {
  readonly table: string;
  /** A column that the table gives out itself. */
  readonly without?: string;
}

export function targetOf(engine: Engine, name: string): LoadTarget {
  if (engine === 'sqlite' && name === LOG) return { table: ARRIVED };
  if (engine === 'sqlite' && name === ARRIVED) return { table: ARRIVED, without: 'sequence' };
  return { table: name };
}

/** What arrived comes after the log, so that its events get the positions after those of the log. */
export function inDumpOrder(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => (name === ARRIVED ? `${LOG}~` : name));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/** Rows that each table must have in the end, with those of both where both become one. */
export function mergesInto(engine: Engine, name: string): string {
  return nameInDump(engine, targetOf(engine, name).table);
}
