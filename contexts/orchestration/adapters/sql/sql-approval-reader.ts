import type { ResourceName } from '#kit/std';
import { beginsWith, type Reader, type Statement, type Storage, sql } from '#kit/storage';
import type { WorkspaceDirectory } from '../../application/ports.ts';
import type { Approval } from '../../domain/deployment/approval.ts';
import { APPROVAL_COLUMNS, toApproval } from './sql-approval-store.ts';
import type { VisibleSet } from './sql-deployment-reader.ts';

export interface ApprovalRange {
  /** Only approvals of deployments directly in this workspace. */
  readonly workspace: ResourceName | undefined;
  readonly visible: VisibleSet;
  readonly after: string | undefined;
  readonly limit: number;
}

export interface SqlApprovalReaderDeps {
  readonly storage: Pick<Storage, 'read'>;
  /** The workspaces as the same snapshot sees them. */
  readonly workspaces: (reader: Reader) => WorkspaceDirectory;
}

/** For both engines, on the latest committed state. */
export class SqlApprovalReader {
  readonly #deps: SqlApprovalReaderDeps;

  constructor(deps: SqlApprovalReaderDeps) {
    this.#deps = deps;
  }

  /** Oldest first. Fewer than the limit means that there are no more. */
  async list(range: ApprovalRange, signal: AbortSignal): Promise<readonly Approval[]> {
    const { storage, workspaces } = this.#deps;
    const rows = await storage.read(async (reader) => {
      const where = await memberOf(range, workspaces(reader), signal);
      const later = range.after === undefined ? sql`1 = 1` : sql`uid > ${range.after}`;
      return await reader.all(
        sql`SELECT ${APPROVAL_COLUMNS} FROM approvals WHERE ${where} AND ${later} ORDER BY uid LIMIT ${range.limit}`,
      );
    }, signal);
    return rows.map(toApproval);
  }
}

async function memberOf(
  { workspace, visible }: ApprovalRange,
  directory: WorkspaceDirectory,
  signal: AbortSignal,
): Promise<Statement> {
  if (workspace !== undefined) return sql`workspace = ${workspace}`;
  if (visible.kind === 'everything') return sql`1 = 1`;
  const ranges: Statement[] = [];
  for (const name of visible.workspaces) {
    const place = await directory.find(name as ResourceName, signal);
    if (place !== undefined) ranges.push(beginsWith(sql`workspace_path`, place.path));
  }
  return ranges.length === 0 ? sql`1 = 0` : sql`(${sql.list(ranges, ' OR ')})`;
}
