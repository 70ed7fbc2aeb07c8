import { isDistinctApprover } from '../rollout/gates/distinct-approver.ts';
import type { Approval } from './approval.ts';
import type { Deployment } from './deployment.ts';

export interface GivenAnswer {
  /** `kind:id`, as whoever asked for the rollout is written. */
  readonly by: string;
  readonly isApproval: boolean;
  /** By an administrator of the instance, in spite of `needsDistinctApprover`. */
  readonly isOverride?: boolean;
  readonly now: number;
}

/**
 * Why somebody's answer does not count: the rollout is another one by now, was answered already or does not wait any
 * longer (`Stale`), or it is not that of a second person where one is wanted (`NotDistinct`).
 *
 * DECISION: by the request, not by the state of the rollout, which would have to be worked out from all that happened to
 * it. A turn closes its requests in the unit in which it stops waiting for them, so that both say the same; and what
 * nobody waits for any longer changes nothing when it is told all the same.
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
