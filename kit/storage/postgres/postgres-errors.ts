import { DatabaseError } from 'pg';
import { StorageError, type StorageErrorCode } from '../storage-error.ts';

/** By SQLSTATE, then by its class (the first two characters). */
const STATES: Readonly<Record<string, StorageErrorCode>> = {
  '23502': 'CHECK_VIOLATED',
  '23503': 'REFERENCE_VIOLATED',
  '23505': 'UNIQUE_VIOLATED',
  '23514': 'CHECK_VIOLATED',
  '40001': 'SERIALIZATION_FAILED',
  '40P01': 'SERIALIZATION_FAILED',
  '53100': 'DISK_FULL',
  '55000': 'DATABASE_UNAVAILABLE',
  '55P03': 'DATABASE_LOCKED',
  '57014': 'TRANSACTION_TIMED_OUT',
  '57P01': 'CONNECTION_LOST',
  '57P02': 'CONNECTION_LOST',
  '57P03': 'CONNECTION_LOST',
};

const CLASSES: Readonly<Record<string, StorageErrorCode>> = {
  '08': 'CONNECTION_LOST',
  '25': 'STATEMENT_REFUSED',
  '28': 'DATABASE_UNAVAILABLE',
  '3D': 'DATABASE_UNAVAILABLE',
  '53': 'OVERLOADED',
  '58': 'DATABASE_UNAVAILABLE',
  XX: 'DATABASE_CORRUPT',
};

/** Translates a driver error. Driver errors without a SQLSTATE concern the connection. */
export function fromPostgres(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof DatabaseError) || error.code === undefined) {
    return new StorageError('CONNECTION_LOST', `the connection to Postgres is lost (${message})`, { cause: error });
  }
  const code = STATES[error.code] ?? CLASSES[error.code.slice(0, 2)] ?? 'STATEMENT_REFUSED';
  return new StorageError(code, message, { cause: error, details: { sqlstate: error.code } });
}
