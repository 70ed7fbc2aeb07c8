import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { privateDatabase } from './sqlite/private-database.ts';
import { fromSqlite, toFault } from './sqlite/sqlite-errors.ts';

/** The process that holds the folder, as it recorded itself: for people, never for a decision. */
export interface FolderHolder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

export type FolderClaim =
  /** Held until `release` or the end of the process. The claim must stay referenced: it keeps the file open. */
  { readonly kind: 'claimed'; release(): void } | { readonly kind: 'taken'; readonly holder: FolderHolder | undefined };

/** Two processes that start together can each see the other's half-taken lock; one of them succeeds well within this time. */
const RACE_MS = 250;

/**
 * Claims a folder for this process.
 *
 * DECISION: an exclusive SQLite transaction on a separate empty file. The kernel drops its lock with the process, even
 * after kill -9, so there are no stale locks to detect; Node itself has no file locks. Nothing else in this process may
 * open that file: closing any other handle to it would drop the lock.
 */
export function claimFolder(folder: string, now: number): FolderClaim {
  const holderFile = join(folder, 'lock.json');
  const database = lock(join(folder, 'lock.db'));
  if (database === undefined) return { kind: 'taken', holder: readHolder(holderFile) };
  writeHolder(holderFile, { pid: process.pid, host: hostname(), since: new Date(now).toISOString() });
  return {
    kind: 'claimed',
    release() {
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

function lock(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    privateDatabase(file);
    database = new DatabaseSync(file, { timeout: RACE_MS });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    const failure = fromSqlite(toFault(error));
    if (failure.code === 'DATABASE_LOCKED') return undefined;
    throw failure;
  }
}

function writeHolder(file: string, holder: FolderHolder): void {
  try {
    writeFileSync(file, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch {
    // The lock holds without this file. If the disk is full, the next important write reports it.
  }
}

function readHolder(file: string): FolderHolder | undefined {
  try {
    const holder: Partial<FolderHolder> = JSON.parse(readFileSync(file, 'utf8')) as object;
    return { pid: Number(holder.pid), host: String(holder.host), since: String(holder.since) };
  } catch {
    // The holder may be writing it right now.
    return undefined;
  }
}
