import { EnrolmentError } from '../../domain/enrolment-error.ts';

/** A restored or repaired database can hold anything. */
export function invalidRow(what: string, cause?: unknown): EnrolmentError {
  return new EnrolmentError('STORED_ENROLMENT_INVALID', `read ${what}`, { cause });
}

export function stale(what: string): EnrolmentError {
  return new EnrolmentError(
    'VERSION_STALE',
    `${what} was changed or deleted meanwhile. Read it again, and repeat the change if it still applies.`,
  );
}
