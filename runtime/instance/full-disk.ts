import { existsSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StorageError } from '#kit/storage';
import type { DatabaseChoice } from './database-kind.ts';
import { InstanceError } from './instance-error.ts';

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);

export interface Place {
  readonly data: string;
  readonly database: DatabaseChoice;
}

/** The error of a start that the disk of the data folder has no space for, in words that say what to do. */
export function fullDisk(error: unknown, { data, database }: Place): InstanceError | undefined {
  if (!isNoSpace(error, database.engine === 'sqlite')) return undefined;
  const folder = resolve(data);
  const act = `free some space, for example old files in ${join(folder, 'snapshots')}, and start again`;
  const message = `the disk of the data folder ${folder} is full (${leftOn(folder)}): ${act}; nothing acknowledged is lost`;
  return new InstanceError('DISK_FULL', message, { cause: error });
}

function isNoSpace(error: unknown, isOurDisk: boolean): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StorageError && error.code === 'DISK_FULL') return isOurDisk;
  if ('code' in error && NO_SPACE.has(String(error.code))) return true;
  return isNoSpace(error.cause, isOurDisk);
}

function leftOn(folder: string): string {
  const there = existsSync(folder) ? folder : dirname(folder);
  return `${Math.floor(freeBytes(there) / 1024)} KiB are left`;
}

/** The bytes that this process may still write there: space that is reserved for root is free for root alone. */
export function freeBytes(folder: string): number {
  const { bfree, bavail, bsize } = statfsSync(folder);
  return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
}
