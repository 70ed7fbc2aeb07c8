import { type Catalogue, type FieldFault, FleetError } from '#kit/std';

export const ACCESS_ERRORS = {
  INVALID_GRANT: { category: 'invalid', retry: 'after-change' },
  INVALID_PERMISSION_SCHEMA: { category: 'invalid', retry: 'after-change' },
  UNKNOWN_PERMISSION: { category: 'invalid', retry: 'after-change' },
  CANNOT_GRANT: { category: 'forbidden', retry: 'after-change' },
  GRANT_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  PERMISSION_SCHEMA_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  GRANT_NAME_TAKEN: { category: 'conflict', retry: 'after-change' },
  GRANT_EXISTS: { category: 'conflict', retry: 'never' },
  GRANTS_IN_THE_WAY: { category: 'conflict', retry: 'after-change' },
  LAST_ADMIN: { category: 'conflict', retry: 'after-change' },
  STORED_ACCESS_INVALID: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type AccessErrorCode = keyof typeof ACCESS_ERRORS;

export class AccessError extends FleetError<AccessErrorCode> {
  get entry() {
    return ACCESS_ERRORS[this.code];
  }
}

/** Takes at least one fault, each with its field. */
export function invalidGrant(faults: readonly FieldFault[]): AccessError {
  return new AccessError('INVALID_GRANT', `Invalid grant: ${firstOf(faults)}. Correct it and send it again.`, {
    faults,
  });
}

export function invalidPermissionSchema(faults: readonly FieldFault[]): AccessError {
  return new AccessError(
    'INVALID_PERMISSION_SCHEMA',
    `Invalid permission schema: ${firstOf(faults)}. Correct it and send it again.`,
    { faults },
  );
}

function firstOf([first]: readonly FieldFault[]): string {
  return `${first?.path} ${first?.message}`;
}
