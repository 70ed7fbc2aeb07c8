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

/** The user's input. */
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

/** A draft that is valid by itself. Whether it fits into the tree is checked elsewhere. */
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

/** Values that the draft does not contain. */
export interface Founding extends Place {
  readonly uid: Uuid;
  readonly now: number;
}

const NAME_RULE = 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end';

/** Reports all faults at once. Default: a folder in the root. */
export function parseDraft(raw: RawDraft): WorkspaceDraft {
  const { kind = 'folder', region, displayName, labels = {} } = raw;
  const faults = [...displayNameFaults(displayName), ...labelFaults(labels), ...policyFaults(raw.policy)];
  const name = readName(raw.name, '/name', faults);
  const parent = readName(raw.parent ?? ROOT, '/parent', faults);
  if (!isWorkspaceKind(kind)) {
    faults.push({ path: '/kind', message: `must be one of ${WORKSPACE_KINDS.join(', ')}` });
    throw invalidWorkspace(faults);
  }
  // The slug of a Domain defaults to its name.
  const slug = raw.slug ?? (kind === 'domain' ? raw.name : undefined);
  faults.push(...kindFaults({ kind, slug, region }), ...ownRegionFaults(kind, region));
  if (name === undefined || parent === undefined || faults.length > 0) throw invalidWorkspace(faults);
  return { name, kind, parent, slug, region, displayName, labels: sortedLabels(labels), ...policyOf(raw.policy) };
}

/** The caller has checked that the name is free. */
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
