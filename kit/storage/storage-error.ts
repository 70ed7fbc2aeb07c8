import { type Catalogue, FleetError } from '#kit/std';

export const STORAGE_ERRORS = {
  GUARD_FAILED: { category: 'conflict', retry: 'after-change' },
  UNIQUE_VIOLATED: { category: 'conflict', retry: 'after-change' },
  REFERENCE_VIOLATED: { category: 'conflict', retry: 'after-change' },
  CHECK_VIOLATED: { category: 'invalid', retry: 'never' },
  STATEMENT_REFUSED: { category: 'internal', retry: 'never' },
  SERIALIZATION_FAILED: { category: 'unavailable', retry: 'later' },
  TRANSACTION_TIMED_OUT: { category: 'timeout', retry: 'later' },
  OUTCOME_UNKNOWN: { category: 'unavailable', retry: 'after-change' },
  CONNECTION_LOST: { category: 'unavailable', retry: 'later' },
  WRITER_LOST: { category: 'unavailable', retry: 'later' },
  OVERLOADED: { category: 'unavailable', retry: 'later' },
  DATABASE_LOCKED: { category: 'unavailable', retry: 'later' },
  DATABASE_UNAVAILABLE: { category: 'unavailable', retry: 'after-change' },
  DATABASE_READ_ONLY: { category: 'unavailable', retry: 'later' },
  DISK_FULL: { category: 'exhausted', retry: 'after-change' },
  DATABASE_CORRUPT: { category: 'internal', retry: 'never' },
  SCHEMA_TOO_NEW: { category: 'precondition', retry: 'after-change' },
  MIGRATION_CHANGED: { category: 'precondition', retry: 'after-change' },
  MIGRATION_FAILED: { category: 'internal', retry: 'after-change' },
  CLOSED: { category: 'unavailable', retry: 'never' },
} as const satisfies Catalogue;

export type StorageErrorCode = keyof typeof STORAGE_ERRORS;

export class StorageError extends FleetError<StorageErrorCode> {
  get entry() {
    return STORAGE_ERRORS[this.code];
  }
}

export function guardFailed(statement: number, expected: number, changed: number): StorageError {
  return new StorageError('GUARD_FAILED', `statement ${statement + 1} changed ${changed} rows instead of ${expected}`, {
    details: { statement, expected, changed },
  });
}
