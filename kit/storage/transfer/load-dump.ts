import type { Value } from '../sql.ts';
import { describeTables } from './describe-tables.ts';
import { dumpDatabase } from './dump-database.ts';
import { type DumpRecord, damaged, RowDigest, rowText } from './dump-record.ts';
import type { Loader } from './loader.ts';
import { mergesInto, targetOf } from './outbox-form.ts';
import { TransferError } from './transfer-error.ts';

const BATCH = 200;

type TableEnd = Extract<DumpRecord, { kind: 'end' }>;
type TableHead = Extract<DumpRecord, { kind: 'table' }>;

/** Inserts every row. Compares the rows received with the claims of the dump, and then the stored rows with both. */
export async function loadDump(
  records: AsyncIterable<DumpRecord>,
  loader: Loader,
  onRow: () => void,
): Promise<{ tables: number; rows: number }> {
  const columns = await columnsByTable(loader);
  const ends: TableEnd[] = [];
  let open: OpenTable | undefined;
  let isDone = false;
  for await (const record of records) {
    if (isDone) throw damaged('something comes after its end');
    switch (record.kind) {
      case 'table':
        if (open !== undefined) throw damaged(`${record.name} begins within another table`);
        open = new OpenTable(record, loader, columns);
        break;
      case 'row':
        if (open === undefined) throw damaged('a row is outside of any table');
        await open.add(record.values);
        onRow();
        break;
      case 'end':
        if (open === undefined) throw damaged(`${record.name} ends before it began`);
        await open.end(record);
        ends.push(record);
        open = undefined;
        break;
      case 'done':
        if (open !== undefined || record.tables !== ends.length) throw damaged('tables are missing');
        isDone = true;
    }
  }
  if (!isDone) throw damaged('it has no end');
  await loader.checkReferences();
  await compare(loader, ends);
  return { tables: ends.length, rows: ends.reduce((sum, { rows }) => sum + rows, 0) };
}

async function columnsByTable(loader: Loader): Promise<Map<string, Set<string>>> {
  const tables = await loader.read((reader) => describeTables(reader, loader.engine));
  return new Map(tables.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]));
}

/** A table whose rows are being loaded. */
class OpenTable {
  readonly #head: TableHead;
  readonly #loader: Loader;
  readonly #table: string;
  readonly #columns: readonly string[];
  readonly #left: number;
  readonly #digest = new RowDigest();
  #rows: Value[][] = [];

  constructor(head: TableHead, loader: Loader, known: ReadonlyMap<string, ReadonlySet<string>>) {
    const { table, without } = targetOf(loader.engine, head.name);
    this.#head = head;
    this.#loader = loader;
    this.#table = table;
    this.#left = without === undefined ? -1 : head.columns.indexOf(without);
    this.#columns = head.columns.filter((column) => column !== without);
    const strange = this.#columns.find((column) => !known.get(table)?.has(column));
    if (strange === undefined) return;
    throw new TransferError('DUMP_TOO_NEW', `load ${head.name}.${strange}: this release has no such column`);
  }

  async add(values: readonly Value[]): Promise<void> {
    if (values.length !== this.#head.columns.length) throw damaged(`a row of ${this.#head.name} has another length`);
    this.#digest.add(rowText(values));
    this.#rows.push(values.filter((_, index) => index !== this.#left));
    if (this.#rows.length >= BATCH) await this.#write();
  }

  async end({ name, rows, digest }: TableEnd): Promise<void> {
    if (name !== this.#head.name || rows !== this.#digest.rows || digest !== this.#digest.text) {
      throw damaged(`the rows of ${this.#head.name} are not those that were written`);
    }
    await this.#write();
    const { counter } = this.#head;
    if (counter !== undefined && this.#left < 0) await this.#loader.setCounter(this.#table, counter);
  }

  async #write(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length > 0) await this.#loader.insert({ table: this.#table, columns: this.#columns, rows });
  }
}

/** Reads everything back: the stored rows may differ from the inserted ones. */
async function compare(loader: Loader, ends: readonly TableEnd[]): Promise<void> {
  const { engine } = loader;
  const sources = Map.groupBy(
    ends.filter(({ rows }) => rows > 0),
    ({ name }) => mergesInto(engine, name),
  );
  await loader.read(async (reader) => {
    for await (const record of dumpDatabase(reader, engine)) {
      if (record.kind !== 'end' || holds(record, sources.get(record.name) ?? [])) continue;
      throw new TransferError('LOAD_FAILED', `load ${record.name}: the rows in the database differ from the dump`);
    }
  });
}

function holds({ name, rows, digest }: TableEnd, sources: readonly TableEnd[]): boolean {
  const wanted = sources.reduce((sum, source) => sum + source.rows, 0);
  // Rows that were renumbered during the load have another digest, so only their number is compared.
  return (
    rows === wanted && sources.every((source) => source.name !== name || sources.length > 1 || source.digest === digest)
  );
}
