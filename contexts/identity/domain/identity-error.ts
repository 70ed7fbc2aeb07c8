import { type Catalogue, type FieldFault, FleetError } from '#kit/std';

export const IDENTITY_ERRORS = {
  INVALID_ISSUER: { category: 'invalid', retry: 'after-change' },
  ISSUER_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  ISSUER_TAKEN: { category: 'conflict', retry: 'after-change' },
  ISSUER_CONFIGURED: { category: 'conflict', retry: 'after-change' },
  ISSUER_UNAVAILABLE: { category: 'unavailable', retry: 'later' },
  PASSTHROUGH_REFUSED: { category: 'invalid', retry: 'after-change' },
  PASSTHROUGH_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  INVALID_SERVICE_ACCOUNT: { category: 'invalid', retry: 'after-change' },
  SERVICE_ACCOUNT_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  SERVICE_ACCOUNT_TAKEN: { category: 'conflict', retry: 'after-change' },
  INVALID_TOKEN_REQUEST: { category: 'invalid', retry: 'after-change' },
  SCOPE_EXCEEDED: { category: 'forbidden', retry: 'after-change' },
  TOKEN_EXCEEDS_RIGHTS: { category: 'forbidden', retry: 'after-change' },
  TOKEN_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  TOKEN_ENDED: { category: 'conflict', retry: 'after-change' },
  TOO_MANY: { category: 'conflict', retry: 'after-change' },
  SESSION_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  LOGIN_CODE_REFUSED: { category: 'unauthenticated', retry: 'after-change' },
  SUBJECT_REFUSED: { category: 'forbidden', retry: 'after-change' },
  ORIGIN_REFUSED: { category: 'forbidden', retry: 'after-change' },
  VERSION_STALE: { category: 'precondition', retry: 'after-change' },
  STORED_IDENTITY_INVALID: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type IdentityErrorCode = keyof typeof IDENTITY_ERRORS;

export class IdentityError extends FleetError<IdentityErrorCode> {
  get entry() {
    return IDENTITY_ERRORS[this.code];
  }
}

type InvalidCode = Extract<IdentityErrorCode, `INVALID_${string}`>;

const WHAT: Readonly<Record<InvalidCode, string>> = {
  INVALID_ISSUER: 'an issuer',
  INVALID_SERVICE_ACCOUNT: 'a service account',
  INVALID_TOKEN_REQUEST: 'a valid token request',
};

/** Takes at least one fault, each with its field. */
export function invalid(code: InvalidCode, faults: readonly FieldFault[]): IdentityError {
  const [first] = faults;
  return new IdentityError(
    code,
    `This is not ${WHAT[code]}: ${first?.path} ${first?.message}. Correct it and send it again.`,
    { faults },
  );
}
