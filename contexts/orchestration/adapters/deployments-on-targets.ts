import { sql, type Transaction } from '#kit/storage';

/**
 * Used when a target is deleted, in the same transaction: lists the deployments on it, and drops its scores.
 *
 * DECISION: deployments are named, also those that the caller may not read. The caller administers the target, and an
 * administrator of a target may know what is on it.
 */
export function deploymentsOnTargets(tx: Transaction) {
  return {
    /** How many deployments are on the target or leaving it, and the first of them by workspace and name. */
    async contentsOf({ uid }: { readonly uid: string }, limit: number, signal: AbortSignal) {
      signal.throwIfAborted();
      const rows = await tx.all<{ workspace: string; name: string; total: number }>(sql`
        SELECT d.workspace, d.name, count(*) OVER () AS total
        FROM deployment_targets t JOIN deployments d ON d.uid = t.deployment
        WHERE t.target = ${uid} ORDER BY d.workspace, d.name LIMIT ${limit}`);
      const names = rows.map(({ workspace, name }) => `${workspace}/${name}`);
      return { kind: 'deployment', count: rows[0]?.total ?? 0, names };
    },

    async deleted({ uid }: { readonly uid: string }, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      await tx.run(sql`DELETE FROM target_scores WHERE target = ${uid}`);
    },
  };
}
