import { sql, type Transaction } from '#kit/storage';
import type { TargetPlace } from '../domain/target.ts';
import { endOf } from './target-row.ts';

/** A subtree that got another path. */
export interface MovedPaths {
  readonly fromPath: string;
  readonly toPath: string;
}

/**
 * What whoever deletes or moves a workspace has to ask of its targets, in his own transaction: what is in the way, and
 * that they follow.
 */
export function targetsInWorkspaces(tx: Transaction) {
  return {
    /** How many are directly in the workspace, and the first of them by name. */
    async contentsOf({ path }: TargetPlace, limit: number, signal: AbortSignal) {
      signal.throwIfAborted();
      const rows = await tx.all<{ name: string; total: number }>(sql`
        SELECT name, count(*) OVER () AS total FROM targets WHERE workspace_path = ${path} ORDER BY name LIMIT ${limit}`);
      return { kind: 'target', count: rows[0]?.total ?? 0, names: rows.map(({ name }) => name) };
    },

    /** In one statement, however many there are. Their workspace is the same, so that nothing is announced of them. */
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
