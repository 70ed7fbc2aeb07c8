import { type Catalogue, FleetError } from '#kit/std';

export const ARCHIVE_ERRORS = {
  NOT_AN_ARCHIVE: { category: 'invalid', retry: 'never' },
  ARCHIVE_TOO_NEW: { category: 'precondition', retry: 'after-change' },
  WRONG_PASSPHRASE: { category: 'forbidden', retry: 'after-change' },
  ARCHIVE_DAMAGED: { category: 'invalid', retry: 'never' },
  ARCHIVE_TRUNCATED: { category: 'invalid', retry: 'never' },
} as const satisfies Catalogue;

export type ArchiveErrorCode = keyof typeof ARCHIVE_ERRORS;

export class ArchiveError extends FleetError<ArchiveErrorCode> {
  get entry() {
    return ARCHIVE_ERRORS[this.code];
  }
}
