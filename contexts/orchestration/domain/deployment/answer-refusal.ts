import { isDistinctApprover } from '../rollout/gates/distinct-approver.ts';
import type { Approval } from './approval.ts';
import type { Deployment } from './deployment.ts';

export interface GivenAnswer {
  /** `kind:id`, in the same form as the requesters, so that the two can be compared. */
  readonly by: string;
  readonly isApproval: boolean;
  /** Given by an administrator of the instance, in spite of `needsDistinctApprover`. */
  readonly isOverride?: boolean;
  readonly now: number;
}

/**
 * Why an answer is refused. `Stale`: another rollout is under way, or the approval was answered, closed or expired.
 * `NotDistinct`: the gate needs a second person, and the caller is one of the requesters.
 *
 * DECISION: this looks at the approval, not at the state of the rollout, which would have to be replayed from its
 * journal. A turn closes its approvals in the same unit of work in which it stops waiting for them, so the two agree; and
 * a rollout ignores answers that it no longer waits for.
 */
export function answerRefusal(
  approval: Approval,
  deployment: Pick<Deployment, 'rollout'> | undefined,
  { by, isApproval, isOverride = false, now }: GivenAnswer,
): 'Stale' | 'NotDistinct' | undefined {
  const isOver = approval.expireTime !== undefined && now >= approval.expireTime;
  if (approval.state !== 'Open' || isOver || deployment?.rollout !== approval.revision) return 'Stale';
  const isBound = isApproval && approval.needsDistinctApprover && !isOverride;
  return isBound && !isDistinctApprover(by, approval.requesters) ? 'NotDistinct' : undefined;
}
