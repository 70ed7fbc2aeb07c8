import { etagOf } from '#kit/http';
import type { ApprovalResource } from '#protocol/api';
import type { Approval } from '../domain/deployment/approval.ts';

/** An approval as the API shows it. Of its workspace only the name: what stands above is not for all. */
export function toApprovalResource(approval: Approval): ApprovalResource {
  const { uid, workspace, deploymentName, revision, gate, step, requestedBy, needsDistinctApprover } = approval;
  const { createTime, expireTime, state, answer } = approval;
  return {
    uid,
    workspace: workspace.name,
    deployment: deploymentName,
    revision,
    gate,
    step,
    requestedBy,
    needsDistinctApprover,
    createTime: timeOf(createTime),
    ...(expireTime === undefined ? {} : { expireTime: timeOf(expireTime) }),
    state,
    ...(answer === undefined ? {} : { answer: { ...answer, time: timeOf(answer.time) } }),
    etag: etagOf(approval),
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
