import type { Labels } from '#kit/std';
import { type Reader, type Statement, sql } from '#kit/storage';
import { allProperties, type Properties } from '../domain/properties.ts';
import type { Lifecycle } from '../domain/target.ts';
import { allLabels } from '../domain/target-labels.ts';
import { COLUMNS, endOf, toTarget } from './target-row.ts';

/** A target as those see it who place and generate: what person and agent say of it, in one. */
export interface PooledTarget {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly labels: Labels;
  readonly properties: Properties;
  readonly manifestTypes: readonly string[];
  readonly lifecycle: Lifecycle;
  readonly isOnline: boolean;
  /** What the path of everything in its workspace begins with. */
  readonly workspacePath: string;
}

/** Within what one statement may carry in values on both engines. */
const ROWS = 1_000;

/** The targets as the reader sees them; in a transaction, as that does. */
export function targetPool(reader: Reader) {
  return {
    /** All of a workspace and below it, in the order of names: one range of the index on paths. */
    async below(path: string, signal: AbortSignal): Promise<readonly PooledTarget[]> {
      signal.throwIfAborted();
      return (await reader.all(targetsBelow(path))).map(toPooled);
    },

    /** Those of them that are there, wherever they are, in no order. */
    async find(ids: readonly string[], signal: AbortSignal): Promise<readonly PooledTarget[]> {
      const found: PooledTarget[] = [];
      for (let start = 0; start < ids.length; start += ROWS) {
        signal.throwIfAborted();
        const some = sql.list(ids.slice(start, start + ROWS));
        found.push(...(await reader.all(sql`SELECT ${COLUMNS} FROM targets WHERE uid IN (${some})`)).map(toPooled));
      }
      return found;
    },
  };
}

/** `name || ''` as in the lists: SQLite would else walk the names of everybody instead of the range of the path. */
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
    workspacePath: workspace.path,
  };
}
