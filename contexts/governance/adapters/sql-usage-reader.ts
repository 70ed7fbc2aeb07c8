import { beginsWith, type Statement, type Storage, sql } from '#kit/storage';
import { METERS } from '../domain/meter.ts';
import { anyOf } from './visibility.ts';

/** A type and not an interface, so that it is assignable to a row. */
export type UsageRow = {
  day: string;
  workspace: string;
  targets: number;
  deliveries: number;
  indexRows: number;
  tunnelBytes: number;
};

export interface UsageQuery {
  /** `undefined`: everything. */
  readonly seen: readonly Place[] | undefined;
  readonly workspace: Place | undefined;
  readonly from: string;
  readonly to: string;
  readonly after: { readonly day: string; readonly workspace: string } | undefined;
  readonly limit: number;
}

/** A workspace since its creation: usage counted before, under its name and at its place, belongs to another one. */
export interface Place {
  readonly name: string;
  readonly path: string;
  readonly since: number;
}

export type SubtreeQuery = Pick<UsageQuery, 'from' | 'to' | 'limit'> & {
  readonly top: Place;
  readonly after: string | undefined;
};

const PATH = sql.raw('path');
const METERED = Object.entries(METERS);
/** The totals of several workspaces. */
const TOTALS = METERED.map(([meter]) => amount(meter, 'sum'));
/** The amounts of several workspaces that had the same name one after the other. */
const AMOUNTS = METERED.map(([meter, kind]) => amount(meter, kind === 'sum' ? 'sum' : 'max'));

/** For both engines, ordered by day and name. */
export class SqlUsageReader {
  readonly #storage: Pick<Storage, 'all'>;

  constructor(storage: Pick<Storage, 'all'>) {
    this.#storage = storage;
  }

  async byWorkspace(
    { seen: places, workspace, from, to, after, limit }: UsageQuery,
    signal: AbortSignal,
  ): Promise<UsageRow[]> {
    const seen = places === undefined ? sql`1 = 1` : anyOf(places.map(countedIn));
    const named =
      workspace === undefined ? sql`1 = 1` : sql`workspace = ${workspace.name} AND time >= ${workspace.since}`;
    const beyond = after === undefined ? sql`1 = 1` : sql`(day, workspace) > (${after.day}, ${after.workspace})`;
    return await this.#rows(
      sql`SELECT day, workspace, ${sql.list(AMOUNTS)} FROM usage_counters
        WHERE day >= ${from} AND day <= ${to} AND ${seen} AND ${named} AND ${beyond}
        GROUP BY day, workspace ORDER BY day, workspace LIMIT ${limit}`,
      signal,
    );
  }

  async bySubtree({ top, from, to, after, limit }: SubtreeQuery, signal: AbortSignal): Promise<UsageRow[]> {
    const beyond = after === undefined ? sql`1 = 1` : sql`day > ${after}`;
    const rows = await this.#rows(
      sql`SELECT day, ${sql.list(TOTALS)} FROM usage_counters
        WHERE day >= ${from} AND day <= ${to} AND ${countedIn(top)} AND ${beyond}
        GROUP BY day ORDER BY day LIMIT ${limit}`,
      signal,
    );
    return rows.map((row) => ({ ...row, workspace: top.name }));
  }

  async #rows(statement: Statement, signal: AbortSignal): Promise<UsageRow[]> {
    return await this.#storage.all<UsageRow>(statement, signal);
  }
}

function countedIn({ path, since }: Place): Statement {
  return sql`(${beginsWith(PATH, path)} AND time >= ${since})`;
}

function amount(meter: string, combine: 'sum' | 'max'): Statement {
  return sql.raw(`coalesce(${combine}(CASE WHEN meter = '${meter}' THEN amount END), 0) AS "${meter}"`);
}
