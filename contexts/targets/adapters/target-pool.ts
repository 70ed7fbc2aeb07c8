import { inPieces, type Labels, yieldIfLong } from '#kit/std';
import { type Reader, type Statement, sql } from '#kit/storage';
import { allProperties, type Properties } from '../domain/properties.ts';
import type { Lifecycle } from '../domain/target.ts';
import { allLabels } from '../domain/target-labels.ts';
import { COLUMNS, endOf, toTarget } from './target-row.ts';

/** A target for placement and manifest generation: the user's and the agent's values merged. */
export interface PooledTarget {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly labels: Labels;
  readonly properties: Properties;
  readonly manifestTypes: readonly string[];
  readonly lifecycle: Lifecycle;
  readonly isOnline: boolean;
  /** An alias takes no placement. */
  readonly isAlias?: true;
  /** The path prefix of everything in its workspace. */
  readonly workspacePath: string;
}

/** Within the number of values that one statement may have on both engines. */
const ROWS = 1_000;

/** The targets as the reader sees them; in a transaction, with its changes. */
export function targetPool(reader: Reader) {
  return {
    /** All targets in a workspace and below it, ordered by name: one range of the index on paths. */
    async below(path: string, signal: AbortSignal): Promise<readonly PooledTarget[]> {
      signal.throwIfAborted();
      const found: PooledTarget[] = [];
      for (const row of await reader.all(targetsBelow(path))) {
        found.push(toPooled(row));
        const wait = yieldIfLong();
        if (wait !== undefined) await wait;
      }
      return found;
    },

    /** The existing ones among these, in any workspace and any order. */
    async find(ids: readonly string[], signal: AbortSignal): Promise<readonly PooledTarget[]> {
      const found: PooledTarget[] = [];
      for (const some of inPieces(ids, ROWS)) {
        signal.throwIfAborted();
        const rows = await reader.all(sql`SELECT ${COLUMNS} FROM targets WHERE uid IN (${sql.list(some)})`);
        found.push(...rows.map(toPooled));
      }
      return found;
    },
  };
}

/** `name || ''` as in the lists: otherwise SQLite would scan the index on names instead of the range of paths. */
export function targetsBelow(path: string): Statement {
  return sql`SELECT ${COLUMNS} FROM targets WHERE workspace_path >= ${path} AND workspace_path < ${endOf(path)}
    ORDER BY name || ''`;
}

function toPooled(row: Parameters<typeof toTarget>[0]): PooledTarget {
  const target = toTarget(row);
  const { uid, name, type, lifecycle, connection, workspace } = target;
  return {
    id: uid,
    name,
    type,
    labels: allLabels(target.labels, target.reportedLabels),
    properties: allProperties(target.properties, target.reportedProperties),
    manifestTypes: target.advertisedManifestTypes,
    lifecycle,
    isOnline: connection.state === 'Connected',
    ...(target.aliasOf === undefined ? {} : { isAlias: true }),
    workspacePath: workspace.path,
  };
}
