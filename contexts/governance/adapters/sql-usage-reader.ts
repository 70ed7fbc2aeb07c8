import { type Statement, type Storage, sql } from '#kit/storage';
import { METERS } from '../domain/meter.ts';
import { anyOf, within } from './visibility.ts';

/** A type and not an interface, so that it is a row too. */
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
  readonly paths: readonly string[] | undefined;
  readonly workspace: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly after: { readonly day: string; readonly workspace: string } | undefined;
  readonly limit: number;
}

export type SubtreeQuery = Pick<UsageQuery, 'from' | 'to' | 'limit'> & {
  readonly path: string;
  readonly workspace: string;
  readonly after: string | undefined;
};

const PATH = sql.raw('path');
const AMOUNTS = sql.list(
  Object.keys(METERS).map((meter) =>
    sql.raw(`coalesce(sum(CASE WHEN meter = '${meter}' THEN amount END), 0) AS "${meter}"`),
  ),
);

/** On both engines, in the order of days and then of names. */
export class SqlUsageReader {
  readonly #storage: Pick<Storage, 'all'>;

  constructor(storage: Pick<Storage, 'all'>) {
    this.#storage = storage;
  }

  async byWorkspace(
    { paths, workspace, from, to, after, limit }: UsageQuery,
    signal: AbortSignal,
  ): Promise<UsageRow[]> {
    const seen = paths === undefined ? sql`1 = 1` : anyOf(paths.map((path) => within(PATH, path)));
    const named = workspace === undefined ? sql`1 = 1` : sql`workspace = ${workspace}`;
    const beyond = after === undefined ? sql`1 = 1` : sql`(day, workspace) > (${after.day}, ${after.workspace})`;
    return await this.#rows(
      sql`SELECT day, workspace, ${AMOUNTS} FROM usage_counters
        WHERE day >= ${from} AND day <= ${to} AND ${seen} AND ${named} AND ${beyond}
        GROUP BY day, workspace ORDER BY day, workspace LIMIT ${limit}`,
      signal,
    );
  }

  async bySubtree({ path, workspace, from, to, after, limit }: SubtreeQuery, signal: AbortSignal): Promise<UsageRow[]> {
    const beyond = after === undefined ? sql`1 = 1` : sql`day > ${after}`;
    const rows = await this.#rows(
      sql`SELECT day, ${AMOUNTS} FROM usage_counters
        WHERE day >= ${from} AND day <= ${to} AND ${within(PATH, path)} AND ${beyond}
        GROUP BY day ORDER BY day LIMIT ${limit}`,
      signal,
    );
    return rows.map((row) => ({ ...row, workspace }));
  }

  async #rows(statement: Statement, signal: AbortSignal): Promise<UsageRow[]> {
    return await this.#storage.all<UsageRow>(statement, signal);
  }
}
