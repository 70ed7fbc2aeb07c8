import type { Approval } from './approval.ts';
import type { Deployment } from './deployment.ts';

export interface GivenAnswer {
  /** `kind:id`, as whoever asked for the rollout is written. */
  readonly by: string;
  readonly isApproval: boolean;
  readonly now: number;
}

/**
 * Why somebody's answer does not count: the rollout is another one by now, was answered already or does not wait any
 * longer (`Stale`), or it approves what the same one asked for (`NotDistinct`).
 *
 * DECISION: by the request, not by the state of the rollout, which would have to be worked out from all that happened to
 * it. A turn closes its requests in the unit in which it stops waiting for them, so that both say the same; and what
 * nobody waits for any longer changes nothing when it is told all the same.
 */
export function answerRefusal(
  approval: Approval,
  deployment: Pick<Deployment, 'rollout'> | undefined,
  { by, isApproval, now }: GivenAnswer,
): 'Stale' | 'NotDistinct' | undefined {
  const isOver = approval.expireTime !== undefined && now >= approval.expireTime;
  if (approval.state !== 'Open' || isOver || deployment?.rollout !== approval.revision) return 'Stale';
  return isApproval && approval.needsDistinctApprover && by === approval.requestedBy ? 'NotDistinct' : undefined;
}
