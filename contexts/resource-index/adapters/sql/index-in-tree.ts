import { type Storage, sql, type Transaction } from '#kit/storage';
import { SCHEMAS_TOPIC } from './schemas-topic.ts';
import { forgetTarget } from './sql-index-store.ts';

/** Updates the index when a workspace or target is deleted or moved, in the caller's transaction. */
export function indexInTree(tx: Transaction) {
  return {
    async targetDeleted({ uid }: { readonly uid: string }, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      await tx.batch(forgetTarget(uid));
    },

    /** Schemas are deleted with their workspace. */
    async workspaceDeleted({ name }: { readonly name: string }, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      await tx.run(sql`DELETE FROM index_schemas WHERE workspace = ${name}`);
    },

    async moved({ fromPath, toPath }: { readonly fromPath: string; readonly toPath: string }, signal: AbortSignal) {
      signal.throwIfAborted();
      // The first text after all that begin with this path: '0' follows '/' in byte order.
      const end = `${fromPath.slice(0, -1)}0`;
      const move = sql`
        UPDATE index_schemas SET workspace_path = ${toPath} || substr(workspace_path, ${fromPath.length + 1})
        WHERE workspace_path >= ${fromPath} AND workspace_path < ${end}`;
      await tx.run(sql.announce(SCHEMAS_TOPIC, move));
      return [];
    },
  };
}

const PURGE_ROWS = 1_000;

/** Deletes expired objects in small transactions. Resolves to the number of deleted objects. */
export async function purgeExpired(storage: Storage, now: number, signal: AbortSignal): Promise<number> {
  for (let total = 0; ; ) {
    const last = await storage.get<{ expire_time: number }>(
      sql`SELECT expire_time FROM index_objects WHERE expire_time IS NOT NULL AND expire_time <= ${now}
        ORDER BY expire_time LIMIT 1 OFFSET ${PURGE_ROWS}`,
      signal,
    );
    const end = last?.expire_time ?? now;
    const gone = sql`DELETE FROM index_objects WHERE expire_time IS NOT NULL AND expire_time <= ${end}`;
    const [count = 0] = await storage.commit([gone], signal);
    total += count;
    if (last === undefined) return total;
  }
}
