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
 * Why an answer to an approval request is refused. `Stale`: it is for another rollout, revision or opening of the gate,
 * or the gate was decided already. `NotDistinct`: the gate needs a second person, and the caller is one of the
 * requesters.
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
