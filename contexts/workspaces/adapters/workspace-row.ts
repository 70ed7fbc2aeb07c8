import { FleetError, parseResourceName, parseUuid, type ResourceName } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import type { Labels } from '../domain/labels.ts';
import { isWorkspaceKind, type Workspace, type WorkspaceKind, workspaceFaults } from '../domain/workspace.ts';
import { invalidWorkspace, WorkspaceError } from '../domain/workspace-error.ts';

/** What `toWorkspace` reads, by name: a release also runs on the table of the next one, which may have more columns. */
export const COLUMNS = sql.raw(
  'name, uid, kind, path, display_name, labels, generation, version, create_time, update_time',
);

/** `/root/emea/web/` */
export function pathOf({ ancestors, name }: Workspace): string {
  return `/${[...ancestors, name].join('/')}/`;
}

/** Runs the same checks as a person's input, as a restored or repaired database can hold anything. */
export function toWorkspace(row: Row): Workspace {
  try {
    return checked({
      name: parseResourceName(String(row['name'])),
      uid: parseUuid(String(row['uid'])),
      kind: toKind(String(row['kind'])),
      ancestors: toAncestors(String(row['path'])),
      displayName: row['display_name'] === null ? undefined : String(row['display_name']),
      labels: toLabels(String(row['labels'])),
      generation: Number(row['generation']),
      version: Number(row['version']),
      createTime: Number(row['create_time']),
      updateTime: Number(row['update_time']),
    });
  } catch (cause) {
    if (!(cause instanceof FleetError || cause instanceof SyntaxError)) throw cause;
    throw new WorkspaceError('STORED_WORKSPACE_INVALID', `read workspace ${String(row['name'])}`, { cause });
  }
}

function checked(workspace: Workspace): Workspace {
  const faults = workspaceFaults(workspace);
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

function isLabels(raw: unknown): raw is Labels {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return false;
  return Object.values(raw).every((value) => typeof value === 'string');
}
