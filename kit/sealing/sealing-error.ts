import { type Catalogue, FleetError } from '#kit/std';

/** Messages and details never hold a secret or a key. */
export const SEALING_ERRORS = {
  NOT_SEALED: { category: 'internal', retry: 'never' },
  SEAL_BROKEN: { category: 'internal', retry: 'never' },
  KEY_UNKNOWN: { category: 'precondition', retry: 'after-change' },
  KEY_FILE_MISSING: { category: 'precondition', retry: 'after-change' },
  KEY_FILE_UNUSABLE: { category: 'precondition', retry: 'after-change' },
  KEY_FILE_BUSY: { category: 'unavailable', retry: 'later' },
} as const satisfies Catalogue;

export type SealingErrorCode = keyof typeof SEALING_ERRORS;

export class SealingError extends FleetError<SealingErrorCode> {
  get entry() {
    return SEALING_ERRORS[this.code];
  }
}
