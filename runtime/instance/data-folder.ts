import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Clock, uuidv7 } from '#kit/std';
import { claimFolder } from '#kit/storage';
import { createFile } from '#runtime/process/durable-file';
import { InstanceError } from './instance-error.ts';

/** The files of one platform on this machine. This process holds the folder exclusively. */
export interface DataFolder {
  readonly path: string;
  readonly databaseFile: string;
  readonly adminTokenFile: string;
  readonly keyFile: string;
  readonly tlsFolder: string;
  /** Identifies this folder: the live process with this id is the one that holds the folder. Created on first use. */
  seat(): string;
  /**
   * Every account of the machine may read it. Left unchanged, since the folder existed before; the operator should be
   * warned.
   */
  readonly openToAll: boolean;
  release(): void;
}

export function openDataFolder(path: string, clock: Clock): DataFolder {
  const folder = resolve(path);
  try {
    makeFolder(folder);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new InstanceError(
      'DATA_FOLDER_UNUSABLE',
      `the data folder ${folder} cannot be created (${why}); choose another with --data`,
      { cause },
    );
  }
  const claim = claimFolder(folder, clock.now());
  if (claim.kind === 'taken') {
    const { holder } = claim;
    const by =
      holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host} (since ${holder.since})`;
    throw new InstanceError(
      'DATA_FOLDER_IN_USE',
      `the data folder ${folder} is in use by ${by}; stop it or choose another --data`,
    );
  }
  return {
    path: folder,
    databaseFile: join(folder, 'fleetshift.db'),
    adminTokenFile: join(folder, 'admin-token'),
    keyFile: join(folder, 'keys.json'),
    tlsFolder: join(folder, 'tls'),
    seat: () => seatOf(join(folder, 'seat')),
    openToAll: (statSync(folder).mode & 0o007) !== 0,
    release: () => claim.release(),
  };
}

function seatOf(file: string): string {
  createFile(file, `${uuidv7()}\n`, 0o600);
  return readFileSync(file, 'utf8').trim();
}

/** Node's `recursive` never returns where a folder exists and mkdir inside fails with ENOENT, as in /proc. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}
