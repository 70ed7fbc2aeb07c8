import { DatabaseError } from 'pg';
import { StorageError, type StorageErrorCode } from '../storage-error.ts';

/** By SQLSTATE, then by its class (the first two characters). */
const STATES: Readonly<Record<string, StorageErrorCode>> = {
  '23502': 'CHECK_VIOLATED',
  '23503': 'REFERENCE_VIOLATED',
  '23505': 'UNIQUE_VIOLATED',
  '23514': 'CHECK_VIOLATED',
  '25006': 'DATABASE_READ_ONLY',
  '25P03': 'CONNECTION_LOST',
  '25P04': 'TRANSACTION_TIMED_OUT',
  // A pooler between us and the server gave this session another connection than the one that prepared the statement.
  '26000': 'CONNECTION_LOST',
  '42P05': 'CONNECTION_LOST',
  '42501': 'DATABASE_UNAVAILABLE',
  '53100': 'DISK_FULL',
  '55P03': 'DATABASE_LOCKED',
  '57014': 'TRANSACTION_TIMED_OUT',
  XX001: 'DATABASE_CORRUPT',
  XX002: 'DATABASE_CORRUPT',
};

const CLASSES: Readonly<Record<string, StorageErrorCode>> = {
  '08': 'CONNECTION_LOST',
  '25': 'STATEMENT_REFUSED',
  '28': 'DATABASE_UNAVAILABLE',
  '3D': 'DATABASE_UNAVAILABLE',
  '40': 'SERIALIZATION_FAILED',
  '53': 'OVERLOADED',
  '55': 'DATABASE_UNAVAILABLE',
  '57': 'CONNECTION_LOST',
  '58': 'DATABASE_UNAVAILABLE',
  F0: 'DATABASE_UNAVAILABLE',
  XX: 'DATABASE_UNAVAILABLE',
};

const FEATURE_NOT_SUPPORTED = '0A000';
/** The cases of "not supported" that pass, by the server's function that said so: its messages are translated. */
const UNSUPPORTED_FOR_NOW: Readonly<Record<string, StorageErrorCode>> = {
  // "cannot use serializable mode in a hot standby"
  call_enum_check_hook: 'DATABASE_READ_ONLY',
  // "cached plan must not change result type": a newer release migrated the table. A new connection prepares again.
  RevalidateCachedQuery: 'CONNECTION_LOST',
};

const ADVICE: Partial<Record<StorageErrorCode, string>> = {
  DISK_FULL: 'the disk of the Postgres server is full; free some space there, nothing that was acknowledged is lost',
  DATABASE_READ_ONLY: 'Postgres takes no writes; promote the standby, or point --database at the primary',
};

/**
 * Translates a driver error. Driver errors without a SQLSTATE concern the connection. Faults that an operator or time may
 * fix are never STATEMENT_REFUSED, which ends the process as a programming error.
 */
export function fromPostgres(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof DatabaseError) || error.code === undefined) {
    return new StorageError('CONNECTION_LOST', `the connection to Postgres is lost (${message})`, { cause: error });
  }
  const code = classify(error.code, error.routine);
  const advice = ADVICE[code];
  const words = advice === undefined ? message : `${advice} (${message})`;
  return new StorageError(code, words, { cause: error, details: { sqlstate: error.code } });
}

function classify(state: string, routine = ''): StorageErrorCode {
  const unsupported = state === FEATURE_NOT_SUPPORTED ? UNSUPPORTED_FOR_NOW[routine] : undefined;
  return unsupported ?? STATES[state] ?? CLASSES[state.slice(0, 2)] ?? 'STATEMENT_REFUSED';
}

/**
 * After a failover a connection may lead to a server that stays a standby, while a new one reaches the primary. So
 * connections to a server that takes no writes are renewed, at most this often.
 */
export const RENEW_MS = 1_000;
