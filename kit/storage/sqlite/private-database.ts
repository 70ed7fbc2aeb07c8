import { chmodSync, closeSync, openSync } from 'node:fs';

/**
 * Makes a database file that only its owner reads, and one that was there so: SQLite itself goes by the umask. The files beside it
 * (`-wal`, `-shm`) get the mode of the database when they are made.
 */
export function privateDatabase(file: string): void {
  if (file === ':memory:' || file === '') return;
  closeSync(openSync(file, 'a', 0o600));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(each, 0o600);
    } catch (error) {
      // Not there, or the file of another account that lets this one write: then it is for that one to say.
      if (!(error instanceof Error && 'code' in error && ['ENOENT', 'EPERM', 'EROFS'].includes(String(error.code))))
        throw error;
    }
  }
}
