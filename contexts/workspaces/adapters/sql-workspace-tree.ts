import { parseResourceName, type ResourceName } from '#kit/std';
import { type Row, sql, type Transaction } from '#kit/storage';
import type { WorkspaceTree } from '../application/ports.ts';
import type { Subtree } from '../domain/move-workspace.ts';
import { parentOf, pathOf, type Workspace } from '../domain/workspace.ts';
import { staleVersion } from './stale-version.ts';
import { COLUMNS, endOf, toWorkspace } from './workspace-row.ts';

/** For both engines, within one transaction. A subtree is a range of the index on paths. */
export class SqlWorkspaceTree implements WorkspaceTree {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async projectOf({ ancestors, name }: Workspace, signal: AbortSignal): Promise<ResourceName | undefined> {
    signal.throwIfAborted();
    const lineage = sql.list([...ancestors, name]);
    return nameIn(
      await this.#tx.get(sql`SELECT name FROM workspaces WHERE name IN (${lineage}) AND kind = ${'project'}`),
    );
  }

  async domainOfSlug(slug: string, signal: AbortSignal): Promise<ResourceName | undefined> {
    signal.throwIfAborted();
    return nameIn(await this.#tx.get(sql`SELECT name FROM workspaces WHERE slug = ${slug}`));
  }

  async subtreeOf(workspace: Workspace, signal: AbortSignal): Promise<Subtree> {
    signal.throwIfAborted();
    const path = pathOf(workspace);
    const row = await this.#tx.get<{ size: number; levels: number; domains: number }>(sql`
      SELECT count(*) AS size, max(length(path) - length(replace(path, ${'/'}, ${''}))) AS levels,
        count(CASE WHEN kind = ${'domain'} THEN 1 END) AS domains
      FROM workspaces WHERE path >= ${path} AND path < ${endOf(path)}`);
    if (row === undefined || row.size === 0) throw staleVersion(workspace);
    // A path has one slash more than names.
    return { size: row.size, depth: row.levels - workspace.ancestors.length - 2, domains: row.domains };
  }

  async move(before: Workspace, next: Workspace, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, region, generation, version, updateTime } = next;
    const changed = await this.#tx.run(sql`
      UPDATE workspaces
      SET parent = ${parentOf(next) ?? null}, region = ${region ?? null}, generation = ${generation},
        version = ${version}, update_time = ${updateTime}
      WHERE uid = ${uid} AND version = ${version - 1}`);
    if (changed !== 1) throw staleVersion(next);
    const [from, to] = [pathOf(before), pathOf(next)];
    await this.#tx.run(sql`
      UPDATE workspaces SET path = ${to} || substr(path, ${from.length + 1})
      WHERE path >= ${from} AND path < ${endOf(from)}`);
  }

  async passOnRegion(domain: Workspace, signal: AbortSignal): Promise<Workspace[]> {
    signal.throwIfAborted();
    const { name, updateTime } = domain;
    const region = domain.region ?? null;
    const rows = await this.#tx.all(sql`
      UPDATE workspaces
      SET region = ${region}, version = version + 1,
        update_time = CASE WHEN update_time > ${updateTime} THEN update_time ELSE ${updateTime} END
      WHERE parent = ${name} AND kind = ${'project'} AND region IS DISTINCT FROM ${region}
      RETURNING ${COLUMNS}`);
    return rows.map(toWorkspace).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function nameIn(row: Row | undefined): ResourceName | undefined {
  return row && parseResourceName(String(row['name']));
}
