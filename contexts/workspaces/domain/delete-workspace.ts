import { ROOT, type Workspace } from './workspace.ts';
import { WorkspaceError } from './workspace-error.ts';

/** As many as fit a message; the count says how many there are. */
export const NAMES_IN_THE_WAY = 10;

/** Objects of one kind in a workspace: how many, and the first of them by name. */
export interface Contents {
  /** The noun for one of them: `workspace`. */
  readonly kind: string;
  readonly count: number;
  readonly names: readonly string[];
}

/** Throws unless the workspace may be deleted: it is not the root, and it is empty. */
export function checkDeletable(workspace: Workspace, contents: readonly Contents[]): void {
  if (workspace.name === ROOT) {
    throw new WorkspaceError('ROOT_IS_FIXED', `Workspace ${ROOT} cannot be deleted.`);
  }
  const inTheWay = contents.filter(({ count }) => count > 0);
  if (inTheWay.length === 0) return;
  throw new WorkspaceError(
    'WORKSPACE_NOT_EMPTY',
    `Workspace ${workspace.name} is not empty: it has ${inTheWay.map(inWords).join('; ')}. Delete these first.`,
    { details: { inTheWay } },
  );
}

function inWords({ kind, count, names }: Contents): string {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `${count} ${kind}${count === 1 ? '' : 's'} (${names.join(', ')}${more})`;
}
