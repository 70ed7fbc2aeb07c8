import type { ResourceName } from '#kit/std';
import { keyset, type Storage, sql } from '#kit/storage';
import type { WorkspaceRange, WorkspaceReader } from '../application/ports.ts';
import type { Workspace } from '../domain/workspace.ts';
import { COLUMNS, toWorkspace } from './workspace-row.ts';

/** On both engines, on the newest committed state. */
export class SqlWorkspaceReader implements WorkspaceReader {
  readonly #storage: Pick<Storage, 'all' | 'get'>;

  constructor(storage: Pick<Storage, 'all' | 'get'>) {
    this.#storage = storage;
  }

  async find(name: ResourceName, signal: AbortSignal): Promise<Workspace | undefined> {
    const row = await this.#storage.get(sql`SELECT ${COLUMNS} FROM workspaces WHERE name = ${name}`, signal);
    return row && toWorkspace(row);
  }

  async list({ parent, after, limit }: WorkspaceRange, signal: AbortSignal): Promise<readonly Workspace[]> {
    const page = keyset({ columns: ['name'], after: after === undefined ? undefined : [after], limit });
    const inside = parent === undefined ? sql`1 = 1` : sql`parent = ${parent}`;
    const rows = await this.#storage.all(
      sql`SELECT ${COLUMNS} FROM workspaces WHERE ${inside} AND ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toWorkspace);
  }
}
