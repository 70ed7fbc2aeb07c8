import { type Reader, type Row, sql } from '#kit/storage';

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
