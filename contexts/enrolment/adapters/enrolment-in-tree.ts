import { type Reader, type Statement, sql, type Transaction } from '#kit/storage';
import { CHANGED_TOPIC } from './sql/changed-topic.ts';

/** Enrolment's part in deleting or moving a workspace or target, in the transaction that does so. */
export function enrolmentInTree(tx: Transaction) {
  return {
    /** Fleetlets block the deletion of their workspace; the targets bound to them do not count here. */
    async contentsOf({ path }: { readonly path: string }, limit: number, signal: AbortSignal) {
      signal.throwIfAborted();
      const rows = await tx.all<{ name: string; total: number }>(sql`
        SELECT name, count(*) OVER () AS total FROM enrolment_fleetlets
        WHERE workspace_path = ${path} AND token IS NOT NULL ORDER BY name LIMIT ${limit}`);
      return { kind: 'fleetlet', count: rows[0]?.total ?? 0, names: rows.map(({ name }) => name) };
    },

    /** Tokens are useless without the workspace. */
    async workspaceDeleted({ name }: { readonly name: string }, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      await tx.run(sql`DELETE FROM enrolment_tokens WHERE workspace = ${name}`);
    },

    async moved({ fromPath, toPath }: { readonly fromPath: string; readonly toPath: string }, signal: AbortSignal) {
      signal.throwIfAborted();
      await tx.batch(['enrolment_fleetlets', 'enrolment_tokens'].map((table) => repath(table, fromPath, toPath)));
      return [];
    },

    async targetDeleted({ uid }: { readonly uid: string }, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      await tx.run(sql.announce(CHANGED_TOPIC, sql`DELETE FROM enrolment_bindings WHERE target = ${uid}`));
    },
  };
}

/** The path of the fleetlet's workspace, as the reader sees it. */
export async function fleetletPath(reader: Reader, name: string): Promise<string | undefined> {
  const query = sql`SELECT workspace_path AS path FROM enrolment_fleetlets WHERE name = ${name}`;
  return (await reader.get<{ path: string }>(query))?.path;
}

/** The same for several fleetlets, by their uids; only for those that are not revoked. */
export async function fleetletPaths(reader: Reader, uids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const query = sql`
    SELECT uid, workspace_path AS path FROM enrolment_fleetlets
    WHERE uid IN (${sql.list(uids)}) AND state = ${'Active'}`;
  const rows = await reader.all<{ uid: string; path: string }>(query);
  return new Map(rows.map(({ uid, path }) => [uid, path]));
}

/** The workspace itself stays the same, so no event is emitted. */
function repath(table: string, fromPath: string, toPath: string): Statement {
  // Exclusive upper bound of this prefix: `0` follows `/` in byte order.
  const end = `${fromPath.slice(0, -1)}0`;
  return sql`
    UPDATE ${sql.raw(table)} SET workspace_path = ${toPath} || substr(workspace_path, ${fromPath.length + 1})
    WHERE workspace_path >= ${fromPath} AND workspace_path < ${end}`;
}
