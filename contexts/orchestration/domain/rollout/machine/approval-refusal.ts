import { isDistinctApprover } from '../gates/distinct-approver.ts';
import { openSpecOf } from './gate-keeping.ts';
import { valueAt } from './number-map.ts';
import type { RolloutState } from './rollout-state.ts';

export interface ApprovalAnswer {
  readonly rollout: string;
  readonly gate: string;
  readonly revision: number;
  readonly by: string;
  readonly isApproval: boolean;
  readonly isOverride?: boolean;
}

/**
 * Why somebody's answer to an approval request does not count: it is for another rollout, revision or opening of the
 * gate, or was decided already (`Stale`), or it is not that of a second person where one is wanted (`NotDistinct`).
 */
export function approvalRefusal(state: RolloutState, answer: ApprovalAnswer): 'Stale' | 'NotDistinct' | undefined {
  const spec = openSpecOf(state, valueAt(state.steps, state.cursor.step));
  const isCurrent =
    state.phase.kind !== 'Finished' &&
    state.rollout === answer.rollout &&
    state.revision === answer.revision &&
    state.gate?.id === answer.gate;
  if (!isCurrent || spec?.type !== 'approval' || state.gate?.memory['decision'] !== undefined) return 'Stale';
  const isBound = answer.isApproval && spec['requireDistinctApprover'] === true && answer.isOverride !== true;
  return isBound && !isDistinctApprover(answer.by, state.requesters) ? 'NotDistinct' : undefined;
}
