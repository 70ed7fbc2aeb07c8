import { type FieldFault, parseResourceName, type ResourceName, StdError, type Uuid } from '#kit/std';
import { displayNameFaults } from './display-name.ts';
import { type Labels, labelFaults, sortedLabels } from './labels.ts';
import { isWorkspaceKind, MAX_DEPTH, ROOT, WORKSPACE_KINDS, type Workspace, type WorkspaceKind } from './workspace.ts';
import { invalidWorkspace, WorkspaceError } from './workspace-error.ts';

/** What a person wrote down. */
export interface RawDraft {
  readonly name: string;
  readonly kind?: string;
  readonly parent?: string;
  readonly displayName?: string;
  readonly labels?: Labels;
}

/** What a person asks for, sound in itself. Whether the tree has room for it is another question. */
export interface WorkspaceDraft {
  readonly name: ResourceName;
  readonly kind: WorkspaceKind;
  readonly parent: ResourceName;
  readonly displayName: string | undefined;
  readonly labels: Labels;
}

/** What the draft cannot know. */
export interface Founding {
  readonly parent: Workspace;
  readonly uid: Uuid;
  readonly now: number;
}

const NAME_RULE = 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end';

/** Names everything that is wrong at once. A folder in the root, unless the draft says otherwise. */
export function parseDraft(raw: RawDraft): WorkspaceDraft {
  const { kind = 'folder', displayName, labels = {} } = raw;
  const faults = [...displayNameFaults(displayName), ...labelFaults(labels)];
  const name = readName(raw.name, '/name', faults);
  const parent = readName(raw.parent ?? ROOT, '/parent', faults);
  if (!isWorkspaceKind(kind)) {
    faults.push({ path: '/kind', message: `must be one of ${WORKSPACE_KINDS.join(', ')}` });
    throw invalidWorkspace(faults);
  }
  if (name === undefined || parent === undefined || faults.length > 0) throw invalidWorkspace(faults);
  return { name, kind, parent, displayName, labels: sortedLabels(labels) };
}

/** Whether the name is free is for the caller to know. */
export function newWorkspace(draft: WorkspaceDraft, { parent, uid, now }: Founding): Workspace {
  const { name, kind, displayName, labels } = draft;
  const ancestors = [...parent.ancestors, parent.name];
  if (ancestors.length > MAX_DEPTH) throw tooDeep(draft);
  return {
    name,
    uid,
    kind,
    ancestors,
    displayName,
    labels,
    generation: 1,
    version: 1,
    createTime: now,
    updateTime: now,
  };
}

function readName(raw: string, path: string, faults: FieldFault[]): ResourceName | undefined {
  try {
    return parseResourceName(raw);
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    faults.push({ path, message: NAME_RULE });
    return undefined;
  }
}

function tooDeep({ name, parent }: WorkspaceDraft): WorkspaceError {
  const message = `is ${MAX_DEPTH} levels below ${ROOT}, where the tree ends`;
  return new WorkspaceError(
    'TREE_TOO_DEEP',
    `Workspace ${name} cannot be in ${parent}, which ${message}. Choose a parent further up.`,
    { faults: [{ path: '/parent', message }], details: { maxDepth: MAX_DEPTH } },
  );
}
