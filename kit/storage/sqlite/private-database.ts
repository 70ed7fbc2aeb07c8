import { chmodSync, closeSync, openSync } from 'node:fs';

/**
 * Creates the database file readable by its owner only, and corrects the mode of an existing one: SQLite itself uses
 * the umask. The files next to it (`-wal`, `-shm`) get the mode of the database when they are created.
 */
export function privateDatabase(file: string): void {
  if (file === ':memory:' || file === '') return;
  closeSync(openSync(file, 'a', 0o600));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(each, 0o600);
    } catch (error) {
      // The file does not exist, or belongs to another account that lets this one write: its owner decides the mode.
      if (!(error instanceof Error && 'code' in error && ['ENOENT', 'EPERM', 'EROFS'].includes(String(error.code))))
        throw error;
    }
  }
}
