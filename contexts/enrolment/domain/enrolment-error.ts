import { type Catalogue, type FieldFault, FleetError } from '#kit/std';

export const ENROLMENT_ERRORS = {
  INVALID_BOOTSTRAP_TOKEN: { category: 'invalid', retry: 'after-change' },
  BOOTSTRAP_TOKEN_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  BOOTSTRAP_TOKEN_TAKEN: { category: 'conflict', retry: 'after-change' },
  TOO_MANY_BOOTSTRAP_TOKENS: { category: 'conflict', retry: 'after-change' },
  BOOTSTRAP_TOKEN_REFUSED: { category: 'unauthenticated', retry: 'after-change' },
  BOOTSTRAP_TOKEN_EXPIRED: { category: 'unauthenticated', retry: 'after-change' },
  BOOTSTRAP_TOKEN_CONSUMED: { category: 'conflict', retry: 'after-change' },
  INVALID_ENROLMENT: { category: 'invalid', retry: 'after-change' },
  TARGET_NOT_ALLOWED: { category: 'forbidden', retry: 'after-change' },
  TARGET_CLAIMED: { category: 'conflict', retry: 'after-change' },
  CERTIFICATE_REFUSED: { category: 'unauthenticated', retry: 'after-change' },
  CERTIFICATE_SUPERSEDED: { category: 'unauthenticated', retry: 'after-change' },
  FLEETLET_REVOKED: { category: 'forbidden', retry: 'never' },
  FLEETLET_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  FLEETLET_BUILT_IN: { category: 'conflict', retry: 'never' },
  NO_SUCH_TARGET: { category: 'invalid', retry: 'after-change' },
  INVALID_ROTATION: { category: 'invalid', retry: 'after-change' },
  ROTATION_UNDER_WAY: { category: 'conflict', retry: 'later' },
  VERSION_STALE: { category: 'precondition', retry: 'after-change' },
  STORED_ENROLMENT_INVALID: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type EnrolmentErrorCode = keyof typeof ENROLMENT_ERRORS;

export class EnrolmentError extends FleetError<EnrolmentErrorCode> {
  get entry() {
    return ENROLMENT_ERRORS[this.code];
  }
}

/** Also thrown for a fleetlet that the caller may not see. */
export function fleetletNotFound(name: string): EnrolmentError {
  return new EnrolmentError('FLEETLET_NOT_FOUND', `There is no fleetlet ${name}.`, { details: { fleetlet: name } });
}

type InvalidCode = 'INVALID_BOOTSTRAP_TOKEN' | 'INVALID_ENROLMENT' | 'INVALID_ROTATION';

const WHAT: Readonly<Record<InvalidCode, string>> = {
  INVALID_BOOTSTRAP_TOKEN: 'a valid bootstrap token request',
  INVALID_ENROLMENT: 'an enrolment',
  INVALID_ROTATION: 'a valid rotation',
};

/** Takes at least one fault, each with its field. */
export function invalid(code: InvalidCode, faults: readonly FieldFault[], cause?: unknown): EnrolmentError {
  const [first] = faults;
  return new EnrolmentError(
    code,
    `This is not ${WHAT[code]}: ${first?.path} ${first?.message}. Correct it and send it again.`,
    { faults, cause },
  );
}
