import type { Clock } from '#kit/std';
import { type Row, type Statement, type Storage, sql, type Value } from '#kit/storage';
import { describeTables } from '#kit/storage/transfer';
import type { FileKeyRing, KeyFacts } from './file-key-ring.ts';
import type { KeyWrapper } from './key-wrapper.ts';
import { registerKey } from './open-key-ring.ts';
import { prefixOf } from './sealed-text.ts';
import { Sealer } from './sealer.ts';
import { SealingError, type SealingErrorCode } from './sealing-error.ts';

/** A column that holds sealed texts or NULL. Each module declares its own. */
export interface SealedColumn {
  readonly table: string;
  /** The primary key columns, in the order of `SealedPlace.row`. */
  readonly keys: readonly string[];
  readonly column: string;
}

export interface RotationDeps {
  readonly storage: Storage;
  readonly ring: FileKeyRing;
  readonly columns: readonly SealedColumn[];
  readonly clock: Clock;
  readonly onProgress?: (rewrapped: number) => void;
}

export interface Rotation {
  readonly activeId: string;
  readonly rewrapped: number;
  /** Values that no key opens. They are left unchanged. */
  readonly unreadable: number;
  readonly dropped: readonly string[];
  /** Retired keys that are kept, each with the reason. */
  readonly kept: readonly { readonly id: string; readonly because: string }[];
}

const BATCH = 100;

/**
 * DECISION: a key is kept for an hour after its retirement, the longest that a request may take. A value that was
 * sealed before the file was replaced, and committed after its column was scanned, can then still be read, and the next
 * rotation or `--finish` finds it.
 */
const GRACE_MS = 60 * 60_000;

/** Adds a new active key, then does what `finishRotation` does. */
export async function rotateKeys(deps: RotationDeps, signal: AbortSignal): Promise<Rotation> {
  deps.ring.add(deps.clock.now());
  return await finishRotation(deps, signal);
}

/**
 * Rewraps every value with the active key, and drops unused keys. It can be killed at any point and run again, and can
 * run while other processes seal and open: a value that another process changes in the meantime is left alone.
 */
export async function finishRotation(deps: RotationDeps, signal: AbortSignal): Promise<Rotation> {
  const { storage, ring, columns, clock } = deps;
  await registerKey({ storage, keys: ring, now: clock.now() }, signal);
  let [rewrapped, unreadable] = [0, 0];
  for (const column of columns) {
    const onProgress = (count: number): void => deps.onProgress?.(rewrapped + count);
    const done = await rewrapColumn({ storage, keys: ring, column, onProgress }, signal);
    rewrapped += done.rewrapped;
    unreadable += done.unreadable;
  }
  const dropped: string[] = [];
  const kept: Rotation['kept'][number][] = [];
  for (const key of ring.list()) {
    if (key.isActive) continue;
    const because = await whyKept(deps, key, signal);
    if (because === undefined) dropped.push(await dropKey(deps, key.id, signal));
    else kept.push({ id: key.id, because });
  }
  return { activeId: await ring.activeId(signal), rewrapped, unreadable, dropped, kept };
}

export interface Rewrapping {
  readonly storage: Storage;
  readonly keys: KeyWrapper;
  readonly column: SealedColumn;
  readonly onProgress?: (rewrapped: number) => void;
}

/** For a key management service, which manages its own keys, this is the whole rotation. */
export async function rewrapColumn(
  { storage, keys, column, onProgress }: Rewrapping,
  signal: AbortSignal,
): Promise<Pick<Rotation, 'rewrapped' | 'unreadable'>> {
  const sealer = new Sealer(keys);
  const active = prefixOf(await keys.activeId(signal));
  let [rewrapped, unreadable] = [0, 0];
  for (let after: readonly Value[] | undefined; ; ) {
    const rows = await storage.all(selectOthers(column, { active, after }), signal);
    const updates: Statement[] = [];
    for (const row of rows) {
      const sealed = await rewrapOrSkip(sealer, String(row[column.column]), signal);
      if (sealed === undefined) unreadable++;
      else updates.push(update(column, row, sealed));
    }
    // No row count guard: a row that was changed or deleted in the meantime needs no rewrapping.
    const changed = updates.length === 0 ? [] : await storage.commit(updates, signal);
    rewrapped += changed.reduce((sum, count) => sum + count, 0);
    onProgress?.(rewrapped);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return { rewrapped, unreadable };
    after = column.keys.map((key) => last[key] ?? null);
  }
}

/** One damaged value must not keep all others under an old key. */
async function rewrapOrSkip(sealer: Sealer, sealed: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await sealer.rewrap(sealed, signal);
  } catch (error) {
    if (error instanceof SealingError && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}

const UNREADABLE: ReadonlySet<SealingErrorCode> = new Set(['NOT_SEALED', 'SEAL_BROKEN', 'KEY_UNKNOWN']);

function selectOthers(
  { table, keys, column }: SealedColumn,
  from: { active: string; after: readonly Value[] | undefined },
) {
  const names = sql.raw(keys.join(', '));
  const [name, source] = [sql.raw(column), sql.raw(table)];
  const beyond = from.after === undefined ? sql`1 = 1` : sql`(${names}) > (${sql.list([...from.after])})`;
  return sql`SELECT ${names}, ${name} FROM ${source}
    WHERE ${name} IS NOT NULL AND substr(${name}, 1, ${from.active.length}) <> ${from.active} AND ${beyond}
    ORDER BY ${names} LIMIT ${BATCH}`;
}

function update({ table, keys, column }: SealedColumn, row: Row, sealed: string): Statement {
  const isRow = keys.map((key) => sql`${sql.raw(key)} = ${row[key] ?? null}`);
  const name = sql.raw(column);
  return sql`UPDATE ${sql.raw(table)} SET ${name} = ${sealed}
    WHERE ${sql.list(isRow, ' AND ')} AND ${name} = ${String(row[column])}`;
}

async function whyKept(deps: RotationDeps, key: KeyFacts, signal: AbortSignal): Promise<string | undefined> {
  const place = await findUse(deps.storage, key.id, signal);
  if (place !== undefined) return `values in ${place} are under it`;
  const until = (key.retireTime ?? deps.clock.now()) + GRACE_MS;
  if (deps.clock.now() >= until) return undefined;
  return `it was retired less than an hour ago; after ${new Date(until).toISOString()} the next run drops it`;
}

/**
 * Searches every text column of the database, not only the declared ones: values in a column that a module forgot to
 * declare must not be lost. The key's own witness does not count.
 */
async function findUse(storage: Storage, keyId: string, signal: AbortSignal): Promise<string | undefined> {
  const prefix = prefixOf(keyId);
  const tables = await storage.read((reader) => describeTables(reader, storage.engine), signal);
  for (const { name: table, columns } of tables) {
    if (table === 'sealing_keys') continue;
    for (const { name: column, isText } of columns) {
      if (!isText) continue;
      const [source, text] = [sql.raw(`"${table}"`), sql.raw(`"${column}"`)];
      const used = sql`SELECT 1 AS used FROM ${source} WHERE substr(${text}, 1, ${prefix.length}) = ${prefix} LIMIT 1`;
      if ((await storage.get(used, signal)) !== undefined) return `${table}.${column}`;
    }
  }
  return undefined;
}

/** Deletes the key from the database first: if the process is killed in between, the file only keeps an unused key. */
async function dropKey({ storage, ring }: RotationDeps, id: string, signal: AbortSignal): Promise<string> {
  await storage.commit([sql`DELETE FROM sealing_keys WHERE id = ${id}`], signal);
  ring.drop(id);
  return id;
}
