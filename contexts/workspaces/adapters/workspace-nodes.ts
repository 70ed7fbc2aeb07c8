import { parseResourceName } from '#kit/std';
import { type Reader, type Row, sql } from '#kit/storage';
import type { WorkspacePlace } from '../application/ports.ts';
import type { WorkspacePolicy } from '../domain/workspace-policy.ts';

/** A workspace for consumers that keep a copy of the tree. */
export interface WorkspaceNode extends Row {
  readonly name: string;
  readonly uid: string;
  /** Incremented by each change that a user requests, including a move. */
  readonly generation: number;
  readonly parent: string | null;
  readonly path: string;
}

const COLUMNS = sql.raw('name, uid, generation, parent, path');

export async function findWorkspaceNode(reader: Reader, name: string): Promise<WorkspaceNode | undefined> {
  return await reader.get<WorkspaceNode>(sql`SELECT ${COLUMNS} FROM workspaces WHERE name = ${name}`);
}

/** All of them, from one snapshot, ordered by name. */
export async function* workspaceNodes(reader: Reader, pageSize = 1_000): AsyncGenerator<WorkspaceNode> {
  for (let after = ''; ; ) {
    const page = await reader.all<WorkspaceNode>(
      sql`SELECT ${COLUMNS} FROM workspaces WHERE name > ${after} ORDER BY name LIMIT ${pageSize}`,
    );
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.name ?? after;
  }
}

/** The tree as the reader sees it; in a transaction, with its changes. */
export function workspacePlaces(reader: Reader) {
  return {
    /** The existing ones among these, in any order. */
    async places(names: readonly string[], signal: AbortSignal): Promise<readonly WorkspacePlace[]> {
      signal.throwIfAborted();
      return await placesOf(reader, names);
    },
  };
}

export async function placesOf(reader: Reader, names: readonly string[]): Promise<readonly WorkspacePlace[]> {
  if (names.length === 0) return [];
  const rows = await reader.all<{ name: string; path: string }>(
    sql`SELECT name, path FROM workspaces WHERE name IN (${sql.list(names)})`,
  );
  return rows.map(({ name, path }) => ({ name: parseResourceName(name), path }));
}

export interface PlacedPolicy {
  /** `/root/emea/`: the policy applies to all paths that begin with this. */
  readonly path: string;
  readonly policy: WorkspacePolicy;
}

/** All policies, from the root down. There are few, and an index finds them without a scan. */
export async function workspacePolicies(reader: Reader, signal: AbortSignal): Promise<readonly PlacedPolicy[]> {
  signal.throwIfAborted();
  const rows = await reader.all<{ path: string; policy: string }>(
    sql`SELECT path, policy FROM workspaces WHERE policy IS NOT NULL ORDER BY path`,
  );
  return rows.map(({ path, policy }) => ({ path, policy: JSON.parse(policy) as WorkspacePolicy }));
}
