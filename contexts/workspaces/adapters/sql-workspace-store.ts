import { parseResourceName, type ResourceName } from '#kit/std';
import { sql, type Transaction } from '#kit/storage';
import type { Children, WorkspaceStore } from '../application/ports.ts';
import { parentOf, pathOf, type Workspace } from '../domain/workspace.ts';
import { staleVersion } from './stale-version.ts';
import { COLUMNS, toWorkspace } from './workspace-row.ts';

/** For both engines, within one transaction. */
export class SqlWorkspaceStore implements WorkspaceStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(name: ResourceName, signal: AbortSignal): Promise<Workspace | undefined> {
    signal.throwIfAborted();
    const row = await this.#tx.get(sql`SELECT ${COLUMNS} FROM workspaces WHERE name = ${name}`);
    return row && toWorkspace(row);
  }

  async childrenOf(name: ResourceName, limit: number, signal: AbortSignal): Promise<Children> {
    signal.throwIfAborted();
    const rows = await this.#tx.all<{ name: string; total: number }>(
      sql`SELECT name, count(*) OVER () AS total FROM workspaces WHERE parent = ${name} ORDER BY name LIMIT ${limit}`,
    );
    return { count: rows[0]?.total ?? 0, names: rows.map((row) => parseResourceName(row.name)) };
  }

  async insert(workspace: Workspace, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { name, uid, kind, slug, region, displayName, labels, generation, version, createTime, updateTime } =
      workspace;
    await this.#tx.run(sql`
      INSERT INTO workspaces
        (name, uid, kind, parent, path, slug, region, display_name, labels, policy, generation, version, create_time, update_time)
      VALUES (${name}, ${uid}, ${kind}, ${parentOf(workspace) ?? null}, ${pathOf(workspace)}, ${slug ?? null},
        ${region ?? null}, ${displayName ?? null}, ${JSON.stringify(labels)}, ${policyText(workspace)}, ${generation}, ${version}, ${createTime}, ${updateTime})`);
  }

  async replace(next: Workspace, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, region, displayName, labels, generation, version, updateTime } = next;
    const changed = await this.#tx.run(sql`
      UPDATE workspaces
      SET region = ${region ?? null}, display_name = ${displayName ?? null}, labels = ${JSON.stringify(labels)},
        policy = ${policyText(next)},
        generation = ${generation}, version = ${version}, update_time = ${updateTime}
      WHERE uid = ${uid} AND version = ${version - 1}`);
    if (changed !== 1) throw staleVersion(next);
  }

  async remove(workspace: Workspace, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, version } = workspace;
    const changed = await this.#tx.run(sql`DELETE FROM workspaces WHERE uid = ${uid} AND version = ${version}`);
    if (changed !== 1) throw staleVersion(workspace);
  }
}

function policyText({ policy }: Workspace): string | null {
  return policy === undefined ? null : JSON.stringify(policy);
}
