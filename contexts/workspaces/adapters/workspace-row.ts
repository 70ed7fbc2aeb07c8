import { FleetError, type Labels, parseResourceName, parseUuid, type ResourceName } from '#kit/std';
import { type Row, sql, type Value } from '#kit/storage';
import { isWorkspaceKind, pathOf, type Workspace, type WorkspaceKind, workspaceFaults } from '../domain/workspace.ts';
import { invalidWorkspace, WorkspaceError } from '../domain/workspace-error.ts';
import { policyOf, type WorkspacePolicy } from '../domain/workspace-policy.ts';

/**
 * The columns of `toWorkspace`, by name: a release also has to run on the next release's table, which may have more columns.
 */
export const COLUMNS = sql.raw(
  'name, uid, kind, path, slug, region, display_name, labels, policy, generation, version, create_time, update_time',
);

/** The first text after all that begin with this path: '0' follows '/' in byte order. */
export function endOf(path: string): string {
  return `${path.slice(0, -1)}0`;
}

/** Runs the same checks as for user input, because a restored or repaired database can hold anything. */
export function toWorkspace(row: Row): Workspace {
  try {
    const workspace: Workspace = {
      name: parseResourceName(String(row['name'])),
      uid: parseUuid(String(row['uid'])),
      kind: toKind(String(row['kind'])),
      ancestors: toAncestors(String(row['path'])),
      slug: toText(row['slug']),
      region: toText(row['region']),
      displayName: toText(row['display_name']),
      labels: toLabels(String(row['labels'])),
      ...policyOf(toPolicy(row['policy'])),
      generation: Number(row['generation']),
      version: Number(row['version']),
      createTime: Number(row['create_time']),
      updateTime: Number(row['update_time']),
    };
    return checked(workspace, String(row['path']));
  } catch (cause) {
    if (!(cause instanceof FleetError || cause instanceof SyntaxError)) throw cause;
    throw new WorkspaceError('STORED_WORKSPACE_INVALID', `read workspace ${String(row['name'])}`, { cause });
  }
}

function toText(value: Value | undefined): string | undefined {
  return value === null ? undefined : String(value);
}

function checked(workspace: Workspace, path: string): Workspace {
  const faults = workspaceFaults(workspace);
  if (pathOf(workspace) !== path) faults.push({ path: '/parent', message: `has the path ${path}` });
  if (faults.length > 0) throw invalidWorkspace(faults);
  return workspace;
}

function toKind(raw: string): WorkspaceKind {
  if (isWorkspaceKind(raw)) return raw;
  throw invalidWorkspace([{ path: '/kind', message: `is ${raw}, which this release does not know` }]);
}

function toAncestors(path: string): ResourceName[] {
  return path.slice(1, -1).split('/').slice(0, -1).map(parseResourceName);
}

function toLabels(text: string): Labels {
  const raw: unknown = JSON.parse(text);
  if (isLabels(raw)) return raw;
  throw invalidWorkspace([{ path: '/labels', message: 'must be an object of strings' }]);
}

function toPolicy(value: Value | undefined): WorkspacePolicy | undefined {
  if (value === null || value === undefined) return undefined;
  const { requiredGates } = (JSON.parse(String(value)) ?? {}) as { readonly requiredGates?: unknown };
  if (isGates(requiredGates)) return { requiredGates };
  throw invalidWorkspace([{ path: '/policy', message: 'is not a policy that this release knows' }]);
}

function isGates(raw: unknown): raw is WorkspacePolicy['requiredGates'] {
  const isGate = (each: unknown): boolean => typeof (each as { type?: unknown } | null)?.type === 'string';
  return Array.isArray(raw) && raw.every(isGate);
}

function isLabels(raw: unknown): raw is Labels {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return false;
  return Object.values(raw).every((value) => typeof value === 'string');
}
