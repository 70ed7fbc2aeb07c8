import { matchesSelector } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { newMember, stepState } from './open-rollout.ts';
import type { Joiner } from './rollout-event.ts';
import { LATE_STEP } from './rollout-state.ts';
import { drop, enqueue } from './settling.ts';
import { addMember, memberAt, numberOf, putMember, putStep, stepAt, type Turn } from './turn.ts';

/**
 * A joining target goes to the stage that selects it, or to the last one. A target that is a member already stays as it
 * is.
 */
export function join(turn: Turn, joiner: Joiner): void {
  const number = numberOf(turn, joiner.id);
  const known = number === undefined ? undefined : memberAt(turn, number);
  if (known?.change === 'deliver' && known.status !== 'Dropped') return;
  const step = homeOf(turn, joiner);
  if (number === undefined || known === undefined) {
    addMember(turn, newMember(joiner, { change: 'deliver', step }, turn.now));
    enqueue(turn, turn.state.numbered - 1);
  } else if (known.status === 'Removing') {
    putMember(turn, number, { ...known, change: 'deliver', step, hasNew: false });
  } else {
    drop(turn, number);
    putMember(turn, number, newMember(joiner, { change: 'deliver', step }, turn.now));
    enqueue(turn, number);
  }
}

/** The next rollout decides whether the target has to be cleaned up. */
export function leave(turn: Turn, target: TargetId): void {
  const number = numberOf(turn, target);
  if (number === undefined) return;
  const { status } = memberAt(turn, number);
  if (status === 'Dropped') return;
  const isUnderWay = status === 'Delivering' || status === 'Settling' || status === 'Removing';
  if (isUnderWay) turn.actions.push({ kind: 'cancelDeliveries', targets: [target] });
  drop(turn, number);
}

/**
 * The step that delivers to the joiner. If the step is behind, its gates were passed for all targets it selects, so the
 * joiner becomes a latecomer. If the step was passed without evaluating its gates, it is added once more at the end,
 * gates included.
 */
function homeOf(turn: Turn, { labels }: Joiner): number {
  const { doors, cursor } = turn.state;
  const door =
    doors.find(({ joins }) => joins !== 'rest' && matchesSelector(joins, labels)) ??
    doors.find(({ joins }) => joins === 'rest');
  const step = door && stepAt(turn, door.step);
  if (door === undefined || step === undefined) return LATE_STEP;
  if (door.step >= cursor.step) return door.step;
  if (step.fate !== 'passed' || step.plan.before.length === 0) return LATE_STEP;
  const again = turn.state.steps.size;
  putStep(turn, again, stepState(step.plan));
  turn.state.doors = doors.map((other) => (other === door ? { ...door, step: again } : other));
  return again;
}
