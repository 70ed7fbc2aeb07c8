import { type FieldFault, type Labels, labelFaults, parseResourceName, type ResourceName, type Uuid } from '#kit/std';
import { displayNameFaults } from './display-name.ts';
import { kebabCaseFaults } from './kebab-case.ts';
import { policyFaults, type WorkspacePolicy } from './workspace-policy.ts';

export const WORKSPACE_KINDS = ['folder', 'domain', 'project'] as const;
export type WorkspaceKind = (typeof WORKSPACE_KINDS)[number];

/** The one that is always there, above all others. */
export const ROOT: ResourceName = parseResourceName('root');

/** Levels below the root. Deeper than any organisation, and a bound on what a path can grow to. */
export const MAX_DEPTH = 16;

/** A node of the tree. A value: every change makes the next one. */
export interface Workspace {
  /** Unique in the whole instance, and never changed. */
  readonly name: ResourceName;
  /** Of this one alone: a workspace that was deleted and made again under its name has another. */
  readonly uid: Uuid;
  readonly kind: WorkspaceKind;
  /** From the root down to the parent. Only the root has none. */
  readonly ancestors: readonly ResourceName[];
  /** What other systems call a Domain by. Unique among Domains, and never changed; only Domains have one. */
  readonly slug: string | undefined;
  /** Where a Domain is pinned to, if it is. A Project's is always its Domain's; a folder has none. */
  readonly region: string | undefined;
  readonly displayName: string | undefined;
  readonly labels: Labels;
  readonly policy?: WorkspacePolicy;
  /** Counts the changes of what people asked for; `version` counts every change. */
  readonly generation: number;
  readonly version: number;
  /** Milliseconds since the epoch, like every time inside. */
  readonly createTime: number;
  readonly updateTime: number;
}

/** `undefined` for the root. */
export function parentOf(workspace: Workspace): ResourceName | undefined {
  return workspace.ancestors.at(-1);
}

/** `/root/emea/web/`: what is below has a path that begins with it, and nothing else has. */
export function pathOf({ ancestors, name }: Pick<Workspace, 'ancestors' | 'name'>): string {
  return `/${[...ancestors, name].join('/')}/`;
}

export function isWorkspaceKind(raw: string): raw is WorkspaceKind {
  return WORKSPACE_KINDS.some((kind) => kind === raw);
}

/** What is wrong with a workspace, wherever it comes from: a person or a database. */
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

/** What only some kinds have. */
export function kindFaults({ kind, slug, region }: Pick<Workspace, 'kind' | 'slug' | 'region'>): FieldFault[] {
  const faults = [...kebabCaseFaults('/slug', slug), ...kebabCaseFaults('/region', region)];
  if ((slug !== undefined) !== (kind === 'domain')) {
    faults.push({ path: '/slug', message: kind === 'domain' ? 'must be there' : 'is what only a domain has' });
  }
  if (region !== undefined && kind === 'folder') {
    faults.push({ path: '/region', message: 'is what only a domain and its projects have' });
  }
  return faults;
}

/** What a person says of a region; a folder has none at all, which is told with what is wrong with its kind. */
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
