import type { ResourceName } from '#kit/std';
import { type Statement, type Storage, sql } from '#kit/storage';
import type { WorkspaceRange, WorkspaceReader } from '../application/ports.ts';
import type { Workspace } from '../domain/workspace.ts';
import { membership } from './workspace-membership.ts';
import { placesOf } from './workspace-nodes.ts';
import { COLUMNS, toWorkspace } from './workspace-row.ts';

/** For both engines, on the latest committed state. */
export class SqlWorkspaceReader implements WorkspaceReader {
  readonly #storage: Pick<Storage, 'get' | 'read'>;

  constructor(storage: Pick<Storage, 'get' | 'read'>) {
    this.#storage = storage;
  }

  async find(name: ResourceName, signal: AbortSignal): Promise<Workspace | undefined> {
    const row = await this.#storage.get(sql`SELECT ${COLUMNS} FROM workspaces WHERE name = ${name}`, signal);
    return row && toWorkspace(row);
  }

  async list(range: WorkspaceRange, signal: AbortSignal): Promise<readonly Workspace[]> {
    const { within, visible } = range;
    const tops = [...(within ? [within.parent] : []), ...(visible.kind === 'some' ? visible.workspaces : [])];
    const rows = await this.#storage.read(async (reader) => {
      const places = await placesOf(reader, tops);
      return await reader.all(listWorkspaces(range, new Map(places.map(({ name, path }) => [name, path]))));
    }, signal);
    return rows.map(toWorkspace);
  }
}

/**
 * `paths` holds the paths of the named workspaces that exist.
 *
 * DECISION: `name || ''` equals the name, but keeps SQLite's planner from using the index on names for the order of the list.
 * With that index it would scan the rows of all other workspaces, instead of using the index that finds the members.
 */
export function listWorkspaces(range: WorkspaceRange, paths: ReadonlyMap<string, string>): Statement {
  const { after, limit } = range;
  const { where, by } = membership(range, paths);
  const name = sql.raw(by === 'path' ? "name || ''" : 'name');
  const later = after === undefined ? sql`1 = 1` : sql`${name} > ${after}`;
  return sql`SELECT ${COLUMNS} FROM workspaces WHERE ${where} AND ${later} ORDER BY ${name} LIMIT ${limit}`;
}
