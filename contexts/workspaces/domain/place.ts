import { assertNever, type ResourceName } from '#kit/std';
import { MAX_DEPTH, ROOT, type Workspace, type WorkspaceKind } from './workspace.ts';
import { WorkspaceError } from './workspace-error.ts';

/** The place in the tree for a workspace. */
export interface Place {
  readonly parent: Workspace;
  /** The Project that the parent is, or is in. */
  readonly project: ResourceName | undefined;
}

/** The workspace to put there, with its subtree. */
export interface Standing {
  readonly name: ResourceName;
  readonly kind: WorkspaceKind;
  /** Levels below it; 0 when there is none. */
  readonly depth: number;
  /** Number of Domains in it, including itself. */
  readonly domains: number;
}

/**
 * A Domain is in the root or in a folder, a Project directly in a Domain, a folder anywhere. No Domain is inside a Project,
 * however many folders are between them.
 */
export function checkPlace(standing: Standing, { parent, project }: Place): void {
  const wrong = wrongParent(standing, parent);
  if (wrong !== undefined) throw refusedPlace(standing, parent, wrong);
  if (project !== undefined && standing.domains > 0) {
    const inside = parent.name === project ? 'is a project' : `is in the project ${project}`;
    throw refusedPlace(standing, parent, `${inside}, where no domain can be`);
  }
  // The parent's ancestors, the parent, and the levels below.
  if (parent.ancestors.length + 1 + standing.depth > MAX_DEPTH) throw tooDeep(standing, parent);
}

function wrongParent({ kind }: Standing, parent: Workspace): string | undefined {
  switch (kind) {
    case 'folder':
      return undefined;
    case 'domain':
      return parent.kind === 'folder' ? undefined : `is a ${parent.kind}; a domain is in ${ROOT} or in a folder`;
    case 'project':
      return parent.kind === 'domain' ? undefined : `is a ${parent.kind}; a project is directly in a domain`;
    default:
      return assertNever(kind, 'kind of workspace');
  }
}

function refusedPlace({ name, kind }: Standing, parent: Workspace, message: string): WorkspaceError {
  return new WorkspaceError(
    'WRONG_PARENT',
    `The ${kind} ${name} cannot be in ${parent.name}, which ${message}. Choose another parent.`,
    { faults: [{ path: '/parent', message }] },
  );
}

function tooDeep({ name, depth }: Standing, parent: Workspace): WorkspaceError {
  const below = depth === 0 ? '' : ` with the ${depth} levels below it`;
  const message = `is ${parent.ancestors.length} levels below ${ROOT}, and the tree ends at ${MAX_DEPTH}`;
  return new WorkspaceError(
    'TREE_TOO_DEEP',
    `Workspace ${name}${below} cannot be in ${parent.name}, which ${message}. Choose a parent further up.`,
    { faults: [{ path: '/parent', message }], details: { maxDepth: MAX_DEPTH } },
  );
}
