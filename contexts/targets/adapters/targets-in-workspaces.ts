import { sql, type Transaction } from '#kit/storage';
import type { TargetPlace } from '../domain/target.ts';
import { endOf } from './target-row.ts';

/** A subtree whose path has changed. */
export interface MovedPaths {
  readonly fromPath: string;
  readonly toPath: string;
}

/** Lets the workspaces context check and update targets when it deletes or moves a workspace, in its own transaction. */
export function targetsInWorkspaces(tx: Transaction) {
  return {
    /** How many targets are directly in the workspace, and the first of them by name. */
    async contentsOf({ path }: TargetPlace, limit: number, signal: AbortSignal) {
      signal.throwIfAborted();
      const rows = await tx.all<{ name: string; total: number }>(sql`
        SELECT name, count(*) OVER () AS total FROM targets WHERE workspace_path = ${path} ORDER BY name LIMIT ${limit}`);
      return { kind: 'target', count: rows[0]?.total ?? 0, names: rows.map(({ name }) => name) };
    },

    /** In one statement for any number. The name of their workspace stays the same, so no events are announced. */
    async moved({ fromPath, toPath }: MovedPaths, signal: AbortSignal) {
      signal.throwIfAborted();
      const count = await tx.run(sql`
        UPDATE targets SET workspace_path = ${toPath} || substr(workspace_path, ${fromPath.length + 1})
        WHERE workspace_path >= ${fromPath} AND workspace_path < ${endOf(fromPath)}`);
      if (count === 0) return [];
      return [{ kind: 'targets', message: `${count} ${count === 1 ? 'target moves' : 'targets move'}.`, count }];
    },
  };
}
