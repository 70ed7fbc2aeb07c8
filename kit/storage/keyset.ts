import { type Parameter, type Statement, sql, type Value } from './sql.ts';

/**
 * A position in a sorted list: the values of the sort columns. Unlike an offset it costs the same on the last page as
 * on the first, and rows that are added or removed meanwhile neither shift nor repeat entries.
 */
export type Keyset = readonly Value[];

export interface KeysetPage {
  /**
   * Together unique and never NULL, in sort order; an index begins with them. Constants of the code, never taken from a
   * request.
   */
  readonly columns: readonly string[];
  readonly after?: Keyset | undefined;
  readonly limit: number;
}

/** `sql\`SELECT ... WHERE ${page.where} ${page.tail}\`` */
export function keyset({ columns, after, limit }: KeysetPage): { readonly where: Statement; readonly tail: Statement } {
  const names = sql.list(columns.map(column));
  return {
    where: after === undefined ? sql`1 = 1` : sql`(${names}) > (${sql.list(exactly(columns.length, after))})`,
    tail: sql`ORDER BY ${names} LIMIT ${limit}`,
  };
}

function column(name: string): Parameter {
  if (!/^[a-z_][a-z0-9_.]*$/.test(name)) throw new TypeError(`not a column: ${name}`);
  return sql.raw(name);
}

function exactly(count: number, values: Keyset): Keyset {
  if (values.length !== count) throw new TypeError(`a place of ${values.length} values in a list of ${count} columns`);
  return values;
}
