import { StorageError, type StorageErrorCode } from '../storage-error.ts';

/** SQLite's primary result codes: the low byte of an extended code. */
const CODES: Readonly<Record<number, StorageErrorCode>> = {
  5: 'DATABASE_LOCKED',
  6: 'DATABASE_LOCKED',
  7: 'OVERLOADED',
  8: 'DATABASE_UNAVAILABLE',
  10: 'DATABASE_UNAVAILABLE',
  11: 'DATABASE_CORRUPT',
  13: 'DISK_FULL',
  14: 'DATABASE_UNAVAILABLE',
  15: 'DATABASE_LOCKED',
  26: 'DATABASE_CORRUPT',
};

const CONSTRAINTS: Readonly<Record<number, StorageErrorCode>> = {
  275: 'CHECK_VIOLATED',
  787: 'REFERENCE_VIOLATED',
  1299: 'CHECK_VIOLATED',
  1555: 'UNIQUE_VIOLATED',
  2067: 'UNIQUE_VIOLATED',
};

const ADVICE: Partial<Record<StorageErrorCode, string>> = {
  DATABASE_LOCKED: 'another process holds the database file; stop it',
  DATABASE_CORRUPT: 'the database file is damaged; restore a backup or a snapshot',
  DATABASE_UNAVAILABLE: 'the database file cannot be read or written; check the disk and the permissions',
  DISK_FULL: 'the disk is full; free some space, nothing that was acknowledged is lost',
};

export interface SqliteFault {
  readonly message: string;
  readonly errcode?: number;
}

/** Translates an SQLite error. Accepts the plain object that a worker can send. */
export function fromSqlite(fault: SqliteFault): StorageError {
  const code = classify(fault.errcode);
  const advice = ADVICE[code];
  return new StorageError(code, advice === undefined ? fault.message : `${advice} (${fault.message})`, {
    details: fault.errcode === undefined ? {} : { sqlite: fault.errcode },
  });
}

export function toFault(error: unknown): SqliteFault {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number') {
    return { message, errcode: error.errcode };
  }
  return { message };
}

function classify(errcode: number | undefined): StorageErrorCode {
  if (errcode === undefined) return 'STATEMENT_REFUSED';
  return CONSTRAINTS[errcode] ?? CODES[errcode & 0xff] ?? 'STATEMENT_REFUSED';
}
