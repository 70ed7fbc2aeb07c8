import { type FieldFault, type Labels, labelFaults, parseResourceName, type ResourceName, type Uuid } from '#kit/std';
import { displayNameFaults } from './display-name.ts';
import { kebabCaseFaults } from './kebab-case.ts';
import { policyFaults, type WorkspacePolicy } from './workspace-policy.ts';

export const WORKSPACE_KINDS = ['folder', 'domain', 'project'] as const;
export type WorkspaceKind = (typeof WORKSPACE_KINDS)[number];

/** The root workspace, which always exists. */
export const ROOT: ResourceName = parseResourceName('root');

/** Maximum levels below the root. Deeper than any organisation, and a bound on the length of paths. */
export const MAX_DEPTH = 16;

/** A node of the tree. Immutable: every change makes a new value. */
export interface Workspace {
  /** Unique in the whole instance; never changes. */
  readonly name: ResourceName;
  /** A workspace that is deleted and created again under the same name has another uid. */
  readonly uid: Uuid;
  readonly kind: WorkspaceKind;
  /** From the root down to the parent. Empty only for the root. */
  readonly ancestors: readonly ResourceName[];
  /** The identifier of a Domain in other systems. Unique among Domains; never changes; only Domains have one. */
  readonly slug: string | undefined;
  /** The region that a Domain is pinned to, if any. A Project always has its Domain's region; a folder has none. */
  readonly region: string | undefined;
  readonly displayName: string | undefined;
  readonly labels: Labels;
  readonly policy?: WorkspacePolicy;
  /** Counts the changes that users request; `version` counts every change. */
  readonly generation: number;
  readonly version: number;
  /** Milliseconds since the epoch, like every internal time. */
  readonly createTime: number;
  readonly updateTime: number;
}

/** `undefined` for the root. */
export function parentOf(workspace: Workspace): ResourceName | undefined {
  return workspace.ancestors.at(-1);
}

/** `/root/emea/web/`: the path prefix of everything below it, and of nothing else. */
export function pathOf({ ancestors, name }: Pick<Workspace, 'ancestors' | 'name'>): string {
  return `/${[...ancestors, name].join('/')}/`;
}

export function isWorkspaceKind(raw: string): raw is WorkspaceKind {
  return WORKSPACE_KINDS.some((kind) => kind === raw);
}

/** The faults of a workspace from any source: a user or the database. */
export function workspaceFaults(workspace: Workspace): FieldFault[] {
  return [
    ...ancestryFaults(workspace),
    ...kindFaults(workspace),
    ...displayNameFaults(workspace.displayName),
    ...labelFaults(workspace.labels),
    ...policyFaults(workspace.policy),
    ...countFaults(workspace),
  ];
}

/** Checks the fields that only some kinds have. */
export function kindFaults({ kind, slug, region }: Pick<Workspace, 'kind' | 'slug' | 'region'>): FieldFault[] {
  const faults = [...kebabCaseFaults('/slug', slug), ...kebabCaseFaults('/region', region)];
  if ((slug !== undefined) !== (kind === 'domain')) {
    faults.push({ path: '/slug', message: kind === 'domain' ? 'is required' : 'is allowed only for a domain' });
  }
  if (region !== undefined && kind === 'folder') {
    faults.push({ path: '/region', message: 'is allowed only for a domain and its projects' });
  }
  return faults;
}

/** Checks a region in a user's request. A region of a folder is reported by `kindFaults`. */
export function ownRegionFaults(kind: WorkspaceKind, asked: string | null | undefined): FieldFault[] {
  if (kind !== 'project' || asked === undefined) return [];
  return [{ path: '/region', message: "is that of the project's domain; set it there" }];
}

function ancestryFaults({ name, ancestors }: Workspace): FieldFault[] {
  const lineage = [...ancestors, name];
  if (lineage[0] !== ROOT) return [{ path: '/parent', message: `must descend from ${ROOT}` }];
  if (new Set(lineage).size !== lineage.length) return [{ path: '/parent', message: 'must not descend from itself' }];
  if (ancestors.length > MAX_DEPTH)
    return [{ path: '/parent', message: `must not be deeper than ${MAX_DEPTH} levels` }];
  return [];
}

function countFaults({ generation, version, createTime, updateTime }: Workspace): FieldFault[] {
  const faults: FieldFault[] = [];
  if (!(generation >= 1 && generation <= version)) {
    faults.push({ path: '/generation', message: 'must be at least 1 and at most the version' });
  }
  if (!(createTime <= updateTime)) faults.push({ path: '/updateTime', message: 'must not be before createTime' });
  return faults;
}
