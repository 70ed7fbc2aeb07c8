import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { BackupError } from './backup-error.ts';
import type { LocalFiles } from './local-settings.ts';

/** A file of the data folder, by its name in every backup. */
export interface BackupFile {
  readonly name: string;
  readonly content: Buffer;
}

const KEYS = 'keys.json';
const TOKEN = 'admin-token';
const TLS = 'tls';
const NAMES = /^(keys\.json|admin-token|tls\/[A-Za-z0-9][A-Za-z0-9._-]*)$/;

/** The files that a platform needs besides its database to keep its identity: keys, the first credential, the TLS authority. */
export function readBackupFiles(files: LocalFiles): BackupFile[] {
  const tls = join(files.folder, TLS);
  const names = [KEYS, TOKEN, ...(existsSync(tls) ? readdirSync(tls).map((name) => `${TLS}/${name}`) : [])];
  return names
    .filter((name) => NAMES.test(name))
    .flatMap((name) => {
      const file = placeOf(name, files);
      return existsSync(file) ? [{ name, content: readFileSync(file) }] : [];
    });
}

/** Throws unless each file can be written: it does not exist yet, or has the same content. */
export function checkPlaces(wanted: readonly BackupFile[], files: LocalFiles): void {
  for (const { name, content } of wanted) {
    if (!NAMES.test(name)) throw new BackupError('BACKUP_UNREADABLE', `the backup contains an unknown file: ${name}`);
    const file = placeOf(name, files);
    if (!existsSync(file) || content.equals(readFileSync(file))) continue;
    throw new BackupError('FILE_EXISTS', `${file} already exists with other content; restore into an empty folder`);
  }
}

/** The files are on disk when it returns. Returns a function that removes them again. */
export function writeBackupFiles(wanted: readonly BackupFile[], files: LocalFiles): () => void {
  const written: string[] = [];
  const undo = (): void => {
    for (const file of written) rmSync(file, { force: true });
  };
  try {
    for (const { name, content } of wanted) {
      const file = placeOf(name, files);
      if (existsSync(file)) continue;
      if (name.startsWith(`${TLS}/`) && !existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 });
      written.push(file);
      writeSynced(file, content);
    }
    return undo;
  } catch (error) {
    undo();
    throw error;
  }
}

function placeOf(name: string, { folder, keyFile }: LocalFiles): string {
  return name === KEYS ? keyFile : join(folder, name);
}

function writeSynced(file: string, content: Buffer): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    chmodSync(file, 0o600);
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
