import { type Statement, sql } from './sql.ts';

/**
 * A condition: the text of the column begins with this one. It is a range, which an index of the column can answer: up to
 * the first text after all that begin so, in byte order. `start` must end with an ASCII character, as paths do.
 */
export function beginsWith(column: Statement, start: string): Statement {
  const end = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  return sql`(${column} >= ${start} AND ${column} < ${end})`;
}
