import type { Workspace } from '../domain/workspace.ts';
import { WorkspaceError } from '../domain/workspace-error.ts';

export function staleVersion({ name }: Workspace): WorkspaceError {
  return new WorkspaceError(
    'VERSION_STALE',
    `Workspace ${name} was changed or deleted meanwhile. Read it again, and repeat the change if it still makes sense.`,
  );
}
