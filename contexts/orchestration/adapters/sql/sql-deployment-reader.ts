import type { ResourceName } from '#kit/std';
import { beginsWith, keyset, type Reader, type Statement, type Storage, sql } from '#kit/storage';
import type { WorkspaceDirectory } from '../../application/ports.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { READ_COLUMNS, toDeployment } from './deployment-row.ts';

/** Everything, or the contents of these subtrees, none of which lies within another. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | { readonly kind: 'some'; readonly workspaces: readonly string[] };

export interface DeploymentRange {
  /** Only those in this workspace: directly, or at any depth. */
  readonly within: { readonly workspace: ResourceName; readonly subtree: boolean } | undefined;
  readonly visible: VisibleSet;
  /** Only those after this one. */
  readonly after: { readonly workspace: string; readonly name: string } | undefined;
  readonly limit: number;
}

export interface SqlDeploymentReaderDeps {
  readonly storage: Pick<Storage, 'get' | 'read'>;
  /** The workspaces as the same snapshot sees them. */
  readonly workspaces: (reader: Reader) => WorkspaceDirectory;
}

/** For both engines, on the latest committed state. Never waits for a unit of work. */
export class SqlDeploymentReader {
  readonly #deps: SqlDeploymentReaderDeps;

  constructor(deps: SqlDeploymentReaderDeps) {
    this.#deps = deps;
  }

  async find(workspace: ResourceName, name: ResourceName, signal: AbortSignal): Promise<Deployment | undefined> {
    const row = await this.#deps.storage.get(
      sql`SELECT ${READ_COLUMNS} FROM deployments WHERE workspace = ${workspace} AND name = ${name}`,
      signal,
    );
    return row && toDeployment(row);
  }

  /** By workspace and name. Fewer than the limit means that there are no more. */
  async list(range: DeploymentRange, signal: AbortSignal): Promise<readonly Deployment[]> {
    const { storage, workspaces } = this.#deps;
    const rows = await storage.read(async (reader) => {
      const paths = await pathsOf(range, workspaces(reader), signal);
      return await reader.all(listDeployments(range, paths));
    }, signal);
    return rows.map(toDeployment);
  }
}

/** The roots of the subtrees to list; `undefined` for everything. */
type Tops = readonly string[] | undefined;

async function pathsOf(
  { within, visible }: DeploymentRange,
  directory: WorkspaceDirectory,
  signal: AbortSignal,
): Promise<Tops> {
  if (visible.kind === 'everything' && within === undefined) return undefined;
  const top = within && (await directory.find(within.workspace, signal))?.path;
  if (within !== undefined && top === undefined) return [];
  if (visible.kind === 'everything') return top === undefined ? undefined : [top];
  const roots: string[] = [];
  for (const name of visible.workspaces) {
    const place = await directory.find(name as ResourceName, signal);
    if (place !== undefined) roots.push(place.path);
  }
  if (top === undefined) return roots;
  return roots.some((root) => top.startsWith(root)) ? [top] : roots.filter((root) => root.startsWith(top));
}

/**
 * Deployments that the caller may not see are excluded here, by an index, and not afterwards: a short page, or its page
 * token, would reveal them.
 */
export function listDeployments({ within, after, limit }: DeploymentRange, tops: Tops): Statement {
  const isDirect = within !== undefined && !within.subtree;
  const where =
    tops === undefined
      ? sql`1 = 1`
      : anyOf(tops.map(isDirect ? directlyIn : (path) => beginsWith(sql`workspace_path`, path)));
  const own = isDirect ? sql`workspace = ${within.workspace}` : sql`1 = 1`;
  const page = keyset({ columns: ['workspace', 'name'], after: after && [after.workspace, after.name], limit });
  return sql`SELECT ${READ_COLUMNS} FROM deployments WHERE ${where} AND ${own} AND ${page.where} ${page.tail}`;
}

function directlyIn(path: string): Statement {
  return sql`workspace_path = ${path}`;
}

const GROUP = 50;

/** In groups, because SQLite limits the depth of expressions, and a plain chain of ORs is deep. */
function anyOf(conditions: readonly Statement[]): Statement {
  if (conditions.length === 0) return sql`1 = 0`;
  if (conditions.length <= GROUP) return sql`(${sql.list(conditions, ' OR ')})`;
  const groups = Array.from({ length: Math.ceil(conditions.length / GROUP) }, (_, nth) =>
    anyOf(conditions.slice(nth * GROUP, (nth + 1) * GROUP)),
  );
  return anyOf(groups);
}
