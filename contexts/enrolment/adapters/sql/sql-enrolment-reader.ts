import { inPieces, type ResourceName } from '#kit/std';
import { beginsWith, keyset, type Reader, type Statement, type Storage, sql } from '#kit/storage';
import type { Binding } from '../../application/ports.ts';
import type { CertificateAuthority } from '../../domain/authority.ts';
import type { BootstrapToken } from '../../domain/bootstrap-token.ts';
import type { Fleetlet } from '../../domain/fleetlet.ts';
import { FLEETLET_COLUMNS, toFleetlet } from './fleetlet-row.ts';
import { ALL_AUTHORITIES, toAuthority } from './sql-authority-store.ts';
import { type BindingRow, toBinding } from './sql-binding-store.ts';
import { TOKEN_COLUMNS, toToken } from './token-row.ts';

export interface Range {
  readonly after: string | undefined;
  readonly limit: number;
}

export interface ShownFleetlet {
  readonly fleetlet: Fleetlet;
  readonly targets: readonly Binding[];
}

export interface SqlEnrolmentReaderDeps {
  readonly storage: Pick<Storage, 'all' | 'get' | 'read'>;
  /** The paths of workspaces in the same snapshot; missing workspaces are left out. */
  readonly places: (reader: Reader) => {
    places(names: readonly string[], signal: AbortSignal): Promise<readonly { readonly path: string }[]>;
  };
}

/** Within the number of parameters that a statement may have on both database engines. */
const ROWS = 1_000;

/** Everything, or the contents of these subtrees, none of which lies within another. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[] };

/** Reads committed state, for lists and for authentication. Never waits for a writer. */
export class SqlEnrolmentReader {
  readonly #deps: SqlEnrolmentReaderDeps;

  constructor(deps: SqlEnrolmentReaderDeps) {
    this.#deps = deps;
  }

  async token(workspace: ResourceName, name: string, signal: AbortSignal): Promise<BootstrapToken | undefined> {
    const row = await this.#deps.storage.get(
      sql`SELECT ${TOKEN_COLUMNS} FROM enrolment_tokens WHERE workspace = ${workspace} AND name = ${name}`,
      signal,
    );
    return row && toToken(row);
  }

  async tokens(workspace: ResourceName, range: Range, signal: AbortSignal): Promise<readonly BootstrapToken[]> {
    const page = pageOf(range);
    const rows = await this.#deps.storage.all(
      sql`SELECT ${TOKEN_COLUMNS} FROM enrolment_tokens WHERE workspace = ${workspace} AND ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toToken);
  }

  async fleetlet(by: { readonly name: string } | { readonly uid: string }, signal: AbortSignal) {
    const where = 'name' in by ? sql`name = ${by.name}` : sql`uid = ${by.uid}`;
    return await this.#deps.storage.read(async (reader) => {
      const row = await reader.get(sql`SELECT ${FLEETLET_COLUMNS} FROM enrolment_fleetlets WHERE ${where}`);
      if (row === undefined) return undefined;
      const [shown] = await withTargets(reader, [toFleetlet(row)]);
      return shown;
    }, signal);
  }

  /** In the order of names, limited to the visible set. */
  async fleetlets(visible: VisibleSet, range: Range, signal: AbortSignal): Promise<readonly ShownFleetlet[]> {
    const { storage, places } = this.#deps;
    return await storage.read(async (reader) => {
      const within =
        visible.kind === 'everything' ? undefined : await places(reader).places(visible.workspaces, signal);
      const page = pageOf(range);
      const rows = await reader.all(sql`
        SELECT ${FLEETLET_COLUMNS} FROM enrolment_fleetlets WHERE ${memberOf(within)} AND ${page.where} ${page.tail}`);
      return await withTargets(reader, rows.map(toFleetlet));
    }, signal);
  }

  async authorities(signal: AbortSignal): Promise<readonly CertificateAuthority[]> {
    return (await this.#deps.storage.all(ALL_AUTHORITIES, signal)).map(toAuthority);
  }

  /** Those that exist, unordered. */
  async fleetletsByUid(uids: readonly string[], signal: AbortSignal): Promise<readonly ShownFleetlet[]> {
    const found: ShownFleetlet[] = [];
    for (const some of inPieces(uids, ROWS)) {
      const query = sql`SELECT ${FLEETLET_COLUMNS} FROM enrolment_fleetlets WHERE uid IN (${sql.list(some)})`;
      found.push(
        ...(await this.#deps.storage.read(
          async (reader) => await withTargets(reader, (await reader.all(query)).map(toFleetlet)),
          signal,
        )),
      );
    }
    return found;
  }

  /** The fleetlet's binding to the target of this name. */
  async boundTo(fleetlet: string, name: string, signal: AbortSignal): Promise<Binding | undefined> {
    const row = await this.#deps.storage.get<BindingRow>(
      sql`SELECT fleetlet, target, name FROM enrolment_bindings WHERE fleetlet = ${fleetlet} AND name = ${name}`,
      signal,
    );
    return row && toBinding(row);
  }
}

async function withTargets(reader: Reader, fleetlets: readonly Fleetlet[]): Promise<ShownFleetlet[]> {
  if (fleetlets.length === 0) return [];
  const uids = sql.list(fleetlets.map(({ uid }) => uid));
  const rows = await reader.all<BindingRow>(
    sql`SELECT fleetlet, target, name FROM enrolment_bindings WHERE fleetlet IN (${uids}) ORDER BY name, target`,
  );
  const byFleetlet = Map.groupBy(rows, ({ fleetlet }) => fleetlet);
  return fleetlets.map((fleetlet) => ({ fleetlet, targets: (byFleetlet.get(fleetlet.uid) ?? []).map(toBinding) }));
}

function memberOf(within: readonly { readonly path: string }[] | undefined): Statement {
  if (within === undefined) return sql`1 = 1`;
  if (within.length === 0) return sql`1 = 0`;
  return sql`(${sql.list(
    within.map(({ path }) => beginsWith(sql`workspace_path`, path)),
    ' OR ',
  )})`;
}

function pageOf({ after, limit }: Range) {
  return keyset({ columns: ['name'], after: after === undefined ? undefined : [after], limit });
}
