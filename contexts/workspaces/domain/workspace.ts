import { type FieldFault, parseResourceName, type ResourceName, type Uuid } from '#kit/std';
import { displayNameFaults } from './display-name.ts';
import { type Labels, labelFaults } from './labels.ts';

export const WORKSPACE_KINDS = ['folder'] as const;
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
  readonly displayName: string | undefined;
  readonly labels: Labels;
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

export function isWorkspaceKind(raw: string): raw is WorkspaceKind {
  return WORKSPACE_KINDS.some((kind) => kind === raw);
}

/** What is wrong with a workspace, wherever it comes from: a person or a database. */
export function workspaceFaults(workspace: Workspace): FieldFault[] {
  return [
    ...ancestryFaults(workspace),
    ...displayNameFaults(workspace.displayName),
    ...labelFaults(workspace.labels),
    ...countFaults(workspace),
  ];
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
