import { type Catalogue, FleetError } from '#kit/std';

export const PKI_ERRORS = {
  REQUEST_MALFORMED: { category: 'invalid', retry: 'after-change' },
  REQUEST_NOT_SIGNED: { category: 'invalid', retry: 'after-change' },
  KEY_REFUSED: { category: 'invalid', retry: 'after-change' },
  TOKEN_REFUSED: { category: 'unauthenticated', retry: 'after-change' },
} as const satisfies Catalogue;

export type PkiErrorCode = keyof typeof PKI_ERRORS;

export class PkiError extends FleetError<PkiErrorCode> {
  get entry() {
    return PKI_ERRORS[this.code];
  }
}
