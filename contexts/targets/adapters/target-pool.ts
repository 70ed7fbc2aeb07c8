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

/** Targets of a pool, by name, uid or label. */
export interface Wanted {
  readonly refs: readonly string[];
  readonly labels?: ReadonlyMap<string, readonly string[]>;
}

const MANY = 2_000;

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

    /**
     * Those with one of these names or uids, those with one of the values for each of these labels, and perhaps others,
     * ordered by name.
     */
    async among(path: string, { refs, labels }: Wanted, signal: AbortSignal): Promise<readonly PooledTarget[]> {
      // Looking at each of very many takes longer than reading all.
      if (refs.length > MANY) return await this.below(path, signal);
      const found = new Map<string, PooledTarget>();
      const statements = [
        ...(labels === undefined ? [] : [targetsLabelled(path, labels)]),
        ...[...inPieces(refs, ROWS)].map((some) => targetsNamed(path, some)),
      ];
      for (const statement of statements) {
        signal.throwIfAborted();
        for (const row of await reader.all(statement)) {
          const target = toPooled(row);
          found.set(target.id, target);
        }
        await yieldIfLong();
      }
      return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
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

/** By the indexes on names and uids; `workspace_path || ''` keeps the engine from scanning the range of paths. */
export function targetsNamed(path: string, refs: readonly string[]): Statement {
  const some = sql.list(refs);
  return sql`SELECT ${COLUMNS} FROM targets WHERE (name IN (${some}) OR uid IN (${some}))
    AND workspace_path || '' >= ${path} AND workspace_path || '' < ${endOf(path)}`;
}

/**
 * One range of the index on paths, of which only rows are returned whose labels may match: the engine compares the stored
 * text, in which a label is written as its key and value. `_` in a pattern stands for any character, so that others may be
 * returned as well.
 */
function targetsLabelled(path: string, labels: NonNullable<Wanted['labels']>): Statement {
  const conditions = [...labels].map(([key, values]) => {
    const patterns = values.map((value) => `%${JSON.stringify({ [key]: value }).slice(1, -1)}%`);
    const either = patterns.map((pattern) => sql`labels LIKE ${pattern} OR reported_labels LIKE ${pattern}`);
    return sql`(${sql.list(either, ' OR ')})`;
  });
  return sql`SELECT ${COLUMNS} FROM targets WHERE workspace_path >= ${path} AND workspace_path < ${endOf(path)}
    AND ${sql.list(conditions, ' AND ')}`;
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
