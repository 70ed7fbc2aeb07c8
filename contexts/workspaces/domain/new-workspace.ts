import {
  type FieldFault,
  type Labels,
  labelFaults,
  parseResourceName,
  type ResourceName,
  StdError,
  sortedLabels,
  type Uuid,
} from '#kit/std';
import { displayNameFaults } from './display-name.ts';
import { checkPlace, type Place } from './place.ts';
import {
  isWorkspaceKind,
  kindFaults,
  ownRegionFaults,
  ROOT,
  WORKSPACE_KINDS,
  type Workspace,
  type WorkspaceKind,
} from './workspace.ts';
import { invalidWorkspace } from './workspace-error.ts';
import { policyFaults, policyOf, type WorkspacePolicy } from './workspace-policy.ts';

/** What a person wrote down. */
export interface RawDraft {
  readonly name: string;
  readonly kind?: string;
  readonly parent?: string;
  readonly slug?: string;
  readonly region?: string;
  readonly displayName?: string;
  readonly labels?: Labels;
  readonly policy?: WorkspacePolicy;
}

/** What a person asks for, sound in itself. Whether the tree has room for it is another question. */
export interface WorkspaceDraft {
  readonly name: ResourceName;
  readonly kind: WorkspaceKind;
  readonly parent: ResourceName;
  readonly slug: string | undefined;
  readonly region: string | undefined;
  readonly displayName: string | undefined;
  readonly labels: Labels;
  readonly policy?: WorkspacePolicy;
}

/** What the draft cannot know. */
export interface Founding extends Place {
  readonly uid: Uuid;
  readonly now: number;
}

const NAME_RULE = 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end';

/** Names everything that is wrong at once. A folder in the root, unless the draft says otherwise. */
export function parseDraft(raw: RawDraft): WorkspaceDraft {
  const { kind = 'folder', region, displayName, labels = {} } = raw;
  const faults = [...displayNameFaults(displayName), ...labelFaults(labels), ...policyFaults(raw.policy)];
  const name = readName(raw.name, '/name', faults);
  const parent = readName(raw.parent ?? ROOT, '/parent', faults);
  if (!isWorkspaceKind(kind)) {
    faults.push({ path: '/kind', message: `must be one of ${WORKSPACE_KINDS.join(', ')}` });
    throw invalidWorkspace(faults);
  }
  // What a Domain is named is its slug too, unless the draft says otherwise.
  const slug = raw.slug ?? (kind === 'domain' ? raw.name : undefined);
  faults.push(...kindFaults({ kind, slug, region }), ...ownRegionFaults(kind, region));
  if (name === undefined || parent === undefined || faults.length > 0) throw invalidWorkspace(faults);
  return { name, kind, parent, slug, region, displayName, labels: sortedLabels(labels), ...policyOf(raw.policy) };
}

/** Whether the name is free is for the caller to know. */
export function newWorkspace(draft: WorkspaceDraft, { uid, now, ...place }: Founding): Workspace {
  const { name, kind, slug, region, displayName, labels, policy } = draft;
  const { parent } = place;
  checkPlace({ name, kind, depth: 0, domains: kind === 'domain' ? 1 : 0 }, place);
  return {
    name,
    uid,
    kind,
    ancestors: [...parent.ancestors, parent.name],
    slug,
    region: kind === 'project' ? parent.region : region,
    displayName,
    labels,
    ...policyOf(policy),
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
