import type { Engine, Reader } from '../port.ts';
import { type Statement, sql, type Value } from '../sql.ts';
import { describeTables, quoted, type TableShape } from './describe-tables.ts';
import { type DumpRecord, RowDigest, rowText, type SchemaLevel } from './dump-record.ts';
import { inDumpOrder, nameInDump } from './outbox-form.ts';
import { TransferError } from './transfer-error.ts';

const CHUNK = 200;
/** Schema levels are dumped separately from the rows: the loader runs the migrations itself. */
const MIGRATIONS = 'schema_migrations';

export async function readSchema(reader: Reader): Promise<SchemaLevel[]> {
  const rows = await reader.all<{ module: string; number: number }>(
    sql`SELECT module, max(number) AS number FROM schema_migrations GROUP BY module ORDER BY module`,
  );
  return rows.map(({ module, number }) => ({ module, number }));
}

/** The number of rows that `dumpDatabase` yields. */
export async function countRows(reader: Reader, engine: Engine): Promise<number> {
  let rows = 0;
  for (const { name } of await dumpedTables(reader, engine)) {
    const row = await reader.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${sql.raw(quoted(name))}`);
    rows += row?.n ?? 0;
  }
  return rows;
}

/** Dumps every table of the snapshot, a few rows at a time, in the same form on both engines. */
export async function* dumpDatabase(reader: Reader, engine: Engine): AsyncGenerator<DumpRecord> {
  const tables = await dumpedTables(reader, engine);
  for (const table of tables) {
    const name = nameInDump(engine, table.name);
    const columns = table.columns.map((column) => column.name).sort(byCode);
    const counter = await readCounter(reader, engine, table);
    yield { kind: 'table', name, columns, ...(counter === undefined ? {} : { counter }) };
    const digest = new RowDigest();
    for await (const values of rowsOf(reader, table, columns)) {
      digest.add(rowText(values));
      yield { kind: 'row', values };
    }
    yield { kind: 'end', name, rows: digest.rows, digest: digest.text };
  }
  yield { kind: 'done', tables: tables.length };
}

async function dumpedTables(reader: Reader, engine: Engine): Promise<TableShape[]> {
  const tables = (await describeTables(reader, engine)).filter(({ name }) => name !== MIGRATIONS);
  return tables.sort((a, b) => inDumpOrder(nameInDump(engine, a.name), nameInDump(engine, b.name)));
}

async function* rowsOf(reader: Reader, table: TableShape, columns: readonly string[]): AsyncGenerator<Value[]> {
  const { name, primaryKey } = table;
  if (primaryKey.length === 0) {
    throw new TransferError('TABLE_WITHOUT_KEY', `dump the table ${name}: it has no primary key to read it by`);
  }
  for (let after: Value[] | undefined; ; ) {
    const rows = await reader.all(selectChunk(table, columns, after));
    for (const row of rows) yield columns.map((column) => row[column] ?? null);
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return;
    after = primaryKey.map((column) => last[column] ?? null);
  }
}

function selectChunk(
  { name, primaryKey }: TableShape,
  columns: readonly string[],
  after: Value[] | undefined,
): Statement {
  const [key, selected] = [primaryKey, columns].map((names) => sql.raw(names.map(quoted).join(', ')));
  if (key === undefined || selected === undefined) throw new TypeError('a table has a key and columns');
  const beyond = after === undefined ? sql`1 = 1` : sql`(${key}) > (${sql.list(after)})`;
  return sql`SELECT ${selected} FROM ${sql.raw(quoted(name))} WHERE ${beyond} ORDER BY ${key} LIMIT ${CHUNK}`;
}

/** The last number that a table assigned automatically, even if that row has been deleted. */
async function readCounter(
  reader: Reader,
  engine: Engine,
  { name, primaryKey }: TableShape,
): Promise<number | undefined> {
  const [column] = primaryKey;
  if (column === undefined || primaryKey.length > 1) return undefined;
  const row = await reader.get<{ last: number | null }>(
    engine === 'sqlite'
      ? sql`SELECT max(seq) AS last FROM ${sql.raw(await sequenceTable(reader))} WHERE name = ${name}`
      : sql`SELECT pg_sequence_last_value(pg_get_serial_sequence(${quoted(name)}, ${column})::regclass) AS last`,
  );
  return row?.last ?? undefined;
}

/** SQLite creates it with the first auto-increment table. */
async function sequenceTable(reader: Reader): Promise<string> {
  const found = await reader.get(sql`SELECT 1 AS found FROM sqlite_master WHERE name = 'sqlite_sequence'`);
  return found === undefined ? '(SELECT NULL AS name, NULL AS seq)' : 'sqlite_sequence';
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
