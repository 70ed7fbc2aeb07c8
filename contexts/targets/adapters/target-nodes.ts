import { type Reader, type Row, sql } from '#kit/storage';

/** A target for consumers that keep a copy of the tree. */
export interface TargetNode extends Row {
  readonly name: string;
  readonly uid: string;
  /** Incremented by each change that a user requests, including a new workspace. */
  readonly generation: number;
  readonly workspace: string;
  /** The path of its workspace. */
  readonly path: string;
}

const COLUMNS = sql.raw('name, uid, generation, workspace, workspace_path AS path');

export async function findTargetNode(reader: Reader, name: string): Promise<TargetNode | undefined> {
  return await reader.get<TargetNode>(sql`SELECT ${COLUMNS} FROM targets WHERE name = ${name}`);
}

/** All of them, from one snapshot, ordered by name. */
export async function* targetNodes(reader: Reader, pageSize = 1_000): AsyncGenerator<TargetNode> {
  for (let after = ''; ; ) {
    const page = await reader.all<TargetNode>(
      sql`SELECT ${COLUMNS} FROM targets WHERE name > ${after} ORDER BY name LIMIT ${pageSize}`,
    );
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.name ?? after;
  }
}

/** The number of targets directly in each workspace that has any. */
export async function targetCounts(reader: Reader): Promise<{ workspace: string; amount: number }[]> {
  return await reader.all<{ workspace: string; amount: number }>(
    sql`SELECT workspace, count(*) AS amount FROM targets GROUP BY workspace`,
  );
}
