import type { ResourceName, Uuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import type { ApprovalStore, RolloutKey } from '../../application/ports.ts';
import { APPROVAL_STATES, type Approval } from '../../domain/deployment/approval.ts';
import { SqlStore } from './sql-store.ts';

/**
 * The columns that `toApproval` reads, by name: during an upgrade a release also runs on the table of the next one, which
 * may have more columns.
 */
export const APPROVAL_COLUMNS = sql.raw(
  `uid, deployment, revision, gate, step, workspace, workspace_path, deployment_name, requested_by, needs_distinct,
   create_time, expire_time, state, answered_by, answer_time, message, version, requesters, is_override`,
);

export class SqlApprovalStore extends SqlStore implements ApprovalStore {
  async insert(approval: Approval, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, deployment, revision, gate, step, workspace, createTime, expireTime, state, answer } = approval;
    await this.tx.run(sql`
      INSERT INTO approvals (${APPROVAL_COLUMNS})
      VALUES (${uid}, ${deployment}, ${revision}, ${gate}, ${step}, ${workspace.name}, ${workspace.path},
        ${approval.deploymentName}, ${approval.requestedBy}, ${approval.needsDistinctApprover}, ${createTime},
        ${expireTime ?? null}, ${state}, ${answer?.by ?? null}, ${answer?.time ?? null}, ${answer?.message ?? null},
        ${approval.version}, ${JSON.stringify(approval.requesters)}, ${answer?.override === true})`);
  }

  async get(uid: string, signal: AbortSignal): Promise<Approval | undefined> {
    signal.throwIfAborted();
    const row = await this.tx.get(sql`SELECT ${APPROVAL_COLUMNS} FROM approvals WHERE uid = ${uid}`);
    return row && toApproval(row);
  }

  async replace(next: Approval, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, state, answer, version } = next;
    const update = sql`
      UPDATE approvals
      SET state = ${state}, answered_by = ${answer?.by ?? null}, answer_time = ${answer?.time ?? null},
        message = ${answer?.message ?? null}, version = ${version}, is_override = ${answer?.override === true}
      WHERE uid = ${uid} AND version = ${version - 1}`;
    await this.tx.batch([sql.expect(1, update)]);
  }

  async openOf({ deployment, revision }: RolloutKey, signal: AbortSignal): Promise<readonly Approval[]> {
    signal.throwIfAborted();
    const rows = await this.tx.all(sql`
      SELECT ${APPROVAL_COLUMNS} FROM approvals
      WHERE deployment = ${deployment} AND revision = ${revision} AND state = 'Open' ORDER BY uid`);
    return rows.map(toApproval);
  }
}

export function toApproval(row: Row): Approval {
  return {
    uid: String(row['uid']) as Uuid,
    deployment: String(row['deployment']) as Uuid,
    deploymentName: String(row['deployment_name']),
    workspace: { name: String(row['workspace']) as ResourceName, path: String(row['workspace_path']) },
    revision: Number(row['revision']),
    gate: String(row['gate']),
    step: String(row['step']),
    requestedBy: String(row['requested_by']),
    requesters: requestersOf(row),
    needsDistinctApprover: row['needs_distinct'] === 1,
    createTime: Number(row['create_time']),
    expireTime: row['expire_time'] === null ? undefined : Number(row['expire_time']),
    // An approval in an unknown state, written by a later release, cannot be answered.
    state: APPROVAL_STATES.find((state) => state === row['state']) ?? 'Closed',
    answer: answerOf(row),
    version: Number(row['version']),
  };
}

function requestersOf(row: Row): readonly string[] {
  const kept = JSON.parse(String(row['requesters'])) as readonly string[];
  return kept.length === 0 ? [String(row['requested_by'])] : kept;
}

function answerOf(row: Row): Approval['answer'] {
  if (row['answered_by'] === null) return undefined;
  return {
    by: String(row['answered_by']),
    time: Number(row['answer_time']),
    message: String(row['message'] ?? ''),
    ...(row['is_override'] === 1 ? { override: true as const } : {}),
  };
}
