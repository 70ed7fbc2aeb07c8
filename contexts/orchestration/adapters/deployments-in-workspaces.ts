import { sql, type Transaction } from '#kit/storage';

/**
 * Used when a workspace is deleted or moved, in the same transaction: lists the deployments that block it, and rewrites
 * their paths.
 */
export function deploymentsInWorkspaces(tx: Transaction) {
  return {
    /** How many deployments are directly in the workspace, and the first of them by name. */
    async contentsOf({ path }: { readonly path: string }, limit: number, signal: AbortSignal) {
      signal.throwIfAborted();
      const rows = await tx.all<{ name: string; total: number }>(sql`
        SELECT name, count(*) OVER () AS total FROM deployments
        WHERE workspace_path = ${path} ORDER BY name LIMIT ${limit}`);
      return { kind: 'deployment', count: rows[0]?.total ?? 0, names: rows.map(({ name }) => name) };
    },

    /**
     * One statement per table, whatever the number of rows. Their workspace stays the same, so no events are published.
     */
    async rewritePaths(move: { readonly fromPath: string; readonly toPath: string }, signal: AbortSignal) {
      signal.throwIfAborted();
      const { fromPath, toPath } = move;
      // The first text after all that begin with this path: `0` is the character after the slash in byte order.
      const end = `${fromPath.slice(0, -1)}0`;
      await tx.batch(
        ['deployments', 'approvals'].map(
          (table) => sql`
            UPDATE ${sql.raw(table)} SET workspace_path = ${toPath} || substr(workspace_path, ${fromPath.length + 1})
            WHERE workspace_path >= ${fromPath} AND workspace_path < ${end}`,
        ),
      );
    },
  };
}
