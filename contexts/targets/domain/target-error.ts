import { type Catalogue, type FieldFault, FleetError } from '#kit/std';

export const TARGET_ERRORS = {
  INVALID_TARGET: { category: 'invalid', retry: 'after-change' },
  UNKNOWN_TARGET_TYPE: { category: 'invalid', retry: 'after-change' },
  NO_SUCH_WORKSPACE: { category: 'invalid', retry: 'after-change' },
  TARGET_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  NAME_TAKEN: { category: 'conflict', retry: 'after-change' },
  IDENTITY_NOT_REFUSED: { category: 'conflict', retry: 'after-change' },
  NOT_MERGEABLE: { category: 'conflict', retry: 'after-change' },
  TARGET_IN_USE: { category: 'conflict', retry: 'after-change' },
  TARGET_HAS_ALIASES: { category: 'conflict', retry: 'after-change' },
  LIFECYCLE_CONFLICT: { category: 'conflict', retry: 'never' },
  VERSION_STALE: { category: 'precondition', retry: 'after-change' },
  STORED_TARGET_INVALID: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type TargetErrorCode = keyof typeof TARGET_ERRORS;

export class TargetError extends FleetError<TargetErrorCode> {
  get entry() {
    return TARGET_ERRORS[this.code];
  }
}

/** Also returned to callers who may not see the target: to them it does not exist. */
export function targetNotFound(name: string): TargetError {
  return new TargetError('TARGET_NOT_FOUND', `There is no target ${name}.`, { details: { target: name } });
}

/** At least one fault, each with its field. */
export function invalidTarget(faults: readonly FieldFault[]): TargetError {
  const [first] = faults;
  return new TargetError(
    'INVALID_TARGET',
    `The target is invalid: ${first?.path} ${first?.message}. Correct it and send it again.`,
    { faults },
  );
}
