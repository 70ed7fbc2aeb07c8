import { etagOf } from '#kit/http';
import type { ApprovalResource } from '#protocol/api';
import type { Approvers } from '../../application/ports.ts';
import type { Approval } from '../../domain/deployment/approval.ts';
import { timeOf } from './deployment-resource.ts';

/**
 * An approval as the API shows it. It names only its workspace, not the path: not every reader may see the workspaces
 * above.
 */
export function toApprovalResource(approval: Approval, hasNoApprover = false): ApprovalResource {
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
    ...(hasNoApprover ? { noEligibleApprover: true } : {}),
    createTime: timeOf(createTime),
    ...(expireTime === undefined ? {} : { expireTime: timeOf(expireTime) }),
    state,
    ...(answer === undefined ? {} : { answer: { ...answer, time: timeOf(answer.time) } }),
    etag: etagOf(approval),
  };
}

/** The same, and whether there is no person left who could answer it. */
export async function withApprovers(
  approval: Approval,
  approvers: Approvers,
  signal: AbortSignal,
): Promise<ApprovalResource> {
  const { state, needsDistinctApprover, workspace, requesters } = approval;
  if (state !== 'Open' || !needsDistinctApprover) return toApprovalResource(approval);
  return toApprovalResource(approval, !(await approvers.hasPersonBesides(workspace.name, requesters, signal)));
}
