import { type Catalogue, type FieldFault, FleetError } from '#kit/std';

export const WORKSPACE_ERRORS = {
  INVALID_WORKSPACE: { category: 'invalid', retry: 'after-change' },
  TREE_TOO_DEEP: { category: 'invalid', retry: 'after-change' },
  WRONG_PARENT: { category: 'invalid', retry: 'after-change' },
  MOVE_INTO_ITSELF: { category: 'invalid', retry: 'after-change' },
  PARENT_NOT_FOUND: { category: 'invalid', retry: 'after-change' },
  WORKSPACE_NOT_FOUND: { category: 'not-found', retry: 'after-change' },
  NAME_TAKEN: { category: 'conflict', retry: 'after-change' },
  SLUG_TAKEN: { category: 'conflict', retry: 'after-change' },
  WORKSPACE_NOT_EMPTY: { category: 'conflict', retry: 'after-change' },
  ROOT_IS_FIXED: { category: 'conflict', retry: 'never' },
  VERSION_STALE: { category: 'precondition', retry: 'after-change' },
  STORED_WORKSPACE_INVALID: { category: 'internal', retry: 'never' },
} as const satisfies Catalogue;

export type WorkspaceErrorCode = keyof typeof WORKSPACE_ERRORS;

export class WorkspaceError extends FleetError<WorkspaceErrorCode> {
  get entry() {
    return WORKSPACE_ERRORS[this.code];
  }
}

/** Also returned to callers who may not see the workspace: to them it does not exist. */
export function workspaceNotFound(name: string): WorkspaceError {
  return new WorkspaceError('WORKSPACE_NOT_FOUND', `There is no workspace ${name}.`, { details: { workspace: name } });
}

/** At least one fault, each with its field. */
export function invalidWorkspace(faults: readonly FieldFault[]): WorkspaceError {
  const [first] = faults;
  return new WorkspaceError(
    'INVALID_WORKSPACE',
    `The workspace is invalid: ${first?.path} ${first?.message}. Correct it and send it again.`,
    { faults },
  );
}
