import type { ResourceName } from '#kit/std';
import { type Reader, type Statement, type Storage, sql } from '#kit/storage';
import type { TargetRange, TargetReader, WorkspaceDirectory } from '../application/ports.ts';
import type { Target } from '../domain/target.ts';
import { membership } from './target-membership.ts';
import { COLUMNS, toTarget } from './target-row.ts';

export interface SqlTargetReaderDeps {
  readonly storage: Pick<Storage, 'get' | 'read'>;
  /** The workspaces of the same snapshot. */
  readonly workspaces: (reader: Reader) => WorkspaceDirectory;
}

/** For both engines, on the latest committed state. */
export class SqlTargetReader implements TargetReader {
  readonly #deps: SqlTargetReaderDeps;

  constructor(deps: SqlTargetReaderDeps) {
    this.#deps = deps;
  }

  async find(name: ResourceName, signal: AbortSignal): Promise<Target | undefined> {
    const row = await this.#deps.storage.get(sql`SELECT ${COLUMNS} FROM targets WHERE name = ${name}`, signal);
    return row && toTarget(row);
  }

  async list(range: TargetRange, signal: AbortSignal): Promise<readonly Target[]> {
    const { within, visible } = range;
    const tops = [...(within ? [within.workspace] : []), ...(visible.kind === 'some' ? visible.workspaces : [])];
    const { storage, workspaces } = this.#deps;
    const rows = await storage.read(async (reader) => {
      const places = tops.length === 0 ? [] : await workspaces(reader).places(tops, signal);
      return await reader.all(listTargets(range, new Map(places.map(({ name, path }) => [name, path]))));
    }, signal);
    return rows.map(toTarget);
  }
}

/**
 * `paths` holds the paths of the named workspaces that exist.
 *
 * DECISION: `name || ''` equals the name, but keeps SQLite's planner from using the index on names for the order of the list.
 * With that index it would scan the rows of all other targets, instead of using the index that finds the members.
 */
export function listTargets(range: TargetRange, paths: ReadonlyMap<string, string>): Statement {
  const { type, after, limit } = range;
  const { where, by } = membership(range, paths);
  const name = sql.raw(by === 'path' ? "name || ''" : 'name');
  const later = after === undefined ? sql`1 = 1` : sql`${name} > ${after}`;
  const ofType = type === undefined ? sql`1 = 1` : sql`type = ${type}`;
  return sql`SELECT ${COLUMNS} FROM targets WHERE ${where} AND ${ofType} AND ${later} ORDER BY ${name} LIMIT ${limit}`;
}
