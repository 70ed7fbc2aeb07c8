import type { MigrationModule } from '../migrations.ts';
import type { DumpRecord, SchemaLevel } from './dump-record.ts';
import { loadDump } from './load-dump.ts';
import type { Loader, TableRows } from './loader.ts';
import { PostgresLoader } from './postgres-loader.ts';
import { SqliteLoader } from './sqlite-loader.ts';
import { TransferError } from './transfer-error.ts';

export interface RestoreOptions {
  readonly target:
    | { readonly engine: 'sqlite'; readonly file: string }
    | { readonly engine: 'postgres'; readonly url: string };
  /** The migrations of this release. */
  readonly modules: readonly MigrationModule[];
  /** The levels of the dump. */
  readonly schema: readonly SchemaLevel[];
  readonly records: AsyncIterable<DumpRecord>;
  readonly onRow?: () => void;
  /** Rows in addition to those of the dump, in tables of the dump: put in place with them or not at all. */
  readonly added?: readonly TableRows[];
  /** Runs before the database is put in place; if it throws, no database is left behind. */
  readonly beforePublish?: () => Promise<void>;
}

export interface Restored {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Creates a database from a dump, where there is none yet. It appears complete and checked, or not at all.
 *
 * DECISION: the tables are created at the level of the dump, and migrated after the rows are loaded. A migration that
 * changes rows therefore changes these too, just as an upgrade in place would have done.
 */
export async function restoreDump(options: RestoreOptions, signal: AbortSignal): Promise<Restored> {
  const levels = levelsOf(options);
  const loader = await openLoader(options, levels);
  try {
    await loader.begin(signal);
    const restored = await loadDump(abortable(options.records, signal), loader, options.onRow ?? (() => {}));
    for (const rows of options.added ?? []) await loader.insert(rows);
    await options.beforePublish?.();
    await loader.publish(signal);
    return restored;
  } finally {
    await loader.discard();
  }
}

/** The modules at the levels of the dump. Throws if this release does not know a level. */
function levelsOf({ modules, schema }: RestoreOptions): MigrationModule[] {
  for (const { module, number } of schema) {
    const known = modules.find((each) => each.module === module)?.migrations.length ?? 0;
    if (number <= known) continue;
    throw new TransferError(
      'DUMP_TOO_NEW',
      `the backup was taken by a newer release: its ${module} tables are at ${number}, and this one knows ${known}. ` +
        'Restore it with that release',
      { details: { module, found: number, known } },
    );
  }
  return modules.map(({ module, migrations }) => {
    const level = schema.find((each) => each.module === module)?.number ?? 0;
    return { module, migrations: migrations.slice(0, level) };
  });
}

async function openLoader({ target, modules }: RestoreOptions, levels: readonly MigrationModule[]): Promise<Loader> {
  return target.engine === 'sqlite'
    ? new SqliteLoader({ file: target.file, levels, modules })
    : await PostgresLoader.open({ url: target.url, levels, modules });
}

async function* abortable<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}
