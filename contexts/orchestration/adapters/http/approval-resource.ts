import { etagOf } from '#kit/http';
import type { ApprovalResource } from '#protocol/api';
import type { Approvers } from '../../application/ports.ts';
import type { Approval } from '../../domain/deployment/approval.ts';

/**
 * An approval as the API shows it. It names only its workspace, not the path: not every reader may see the workspaces
 * above.
 */
export function toApprovalResource(approval: Approval, approvers?: Approvers): ApprovalResource {
  const { uid, workspace, deploymentName, revision, gate, step, requestedBy, requesters } = approval;
  const { needsDistinctApprover } = approval;
  const { createTime, expireTime, state, answer } = approval;
  return {
    uid,
    workspace: workspace.name,
    deployment: deploymentName,
    revision,
    gate,
    step,
    requestedBy,
    requesters: [...requesters],
    needsDistinctApprover,
    ...(hasNone(approval, approvers) ? { noEligibleApprover: true } : {}),
    createTime: timeOf(createTime),
    ...(expireTime === undefined ? {} : { expireTime: timeOf(expireTime) }),
    state,
    ...(answer === undefined ? {} : { answer: { ...answer, time: timeOf(answer.time) } }),
    etag: etagOf(approval),
  };
}

function hasNone({ state, needsDistinctApprover, workspace, requesters }: Approval, approvers?: Approvers): boolean {
  if (state !== 'Open' || !needsDistinctApprover || approvers === undefined) return false;
  return !approvers.hasPersonBesides(workspace.name, requesters);
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
