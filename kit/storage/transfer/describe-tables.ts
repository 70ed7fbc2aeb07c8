import type { Engine, Reader } from '../port.ts';
import { sql } from '../sql.ts';

export interface ColumnShape {
  readonly name: string;
  readonly isText: boolean;
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
  /** In key order; empty if there is no primary key. */
  readonly primaryKey: readonly string[];
}

/** A type and not an interface, so that it is assignable to Row. */
type ColumnRow = { table_name: string; name: string; type: string; key_order: number };

/**
 * Every table of the database as it is, including those that FleetShift did not create. Views and tables without
 * columns are left out.
 */
export async function describeTables(reader: Reader, engine: Engine): Promise<TableShape[]> {
  const tables = new Map<string, ColumnRow[]>();
  for (const row of await reader.all<ColumnRow>(engine === 'sqlite' ? SQLITE : POSTGRES)) {
    const columns = tables.get(row.table_name) ?? [];
    tables.set(row.table_name, columns);
    columns.push(row);
  }
  return Array.from(tables, ([name, rows]) => ({
    name,
    columns: rows.map(({ name, type }) => ({ name, isText: /text|char/i.test(type) })),
    primaryKey: rows
      .filter((row) => row.key_order > 0)
      .sort((a, b) => a.key_order - b.key_order)
      .map((row) => row.name),
  }));
}

/** Quotes a name that was read from the database. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const SQLITE = sql`
  SELECT m.name AS table_name, c.name AS name, c.type AS type, c.pk AS key_order
  FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite@_%' ESCAPE '@'
  ORDER BY m.name, c.cid`;

const POSTGRES = sql`
  SELECT c.relname::text AS table_name, a.attname::text AS name, format_type(a.atttypid, NULL) AS type,
    coalesce(array_position(string_to_array(i.indkey::text, ' '), a.attnum::text), 0) AS key_order
  FROM pg_class AS c
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
  ORDER BY c.relname COLLATE "C", a.attnum`;
