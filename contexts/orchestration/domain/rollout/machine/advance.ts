import { assertNever } from '#kit/std';
import { dropGate, passGates } from './gate-keeping.ts';
import { launch } from './launch.ts';
import { keysOf } from './number-map.ts';
import { type Cursor, LATE_STEP, type StepState } from './rollout-state.ts';
import { setAside } from './settling.ts';
import { finish, stop, stopAtFailures } from './stopping.ts';
import { putStep, stepAt, type Turn } from './turn.ts';

/** Moves the rollout forward as far as it can go. */
export function advance(turn: Turn): void {
  while (turn.state.phase.kind === 'Running' && !stopAtFailures(turn, 'delivery')) {
    launch(turn);
    if (!moveOn(turn)) break;
  }
  if (turn.state.phase.kind !== 'Running') delete turn.state.blocked;
}

/** Whether the cursor moved, so that there may be more to do. */
function moveOn(turn: Turn): boolean {
  const { cursor } = turn.state;
  const step = stepAt(turn, cursor.step);
  if (step === undefined) return end(turn);
  switch (cursor.at) {
    case 'before':
      return enter(turn, step);
    case 'work':
      return isSettled(step) && !stopAtFailures(turn, 'all') && moveTo(turn, { ...cursor, at: 'after', gate: 0 });
    case 'after':
      return leave(turn, step);
    default:
      return assertNever(cursor.at, 'place in a step');
  }
}

/** A step without members is passed without its tasks. */
function enter(turn: Turn, step: StepState): boolean {
  const { cursor } = turn.state;
  if (step.members === 0) return moveBeyond(turn, step, 'passed');
  if (!isThrough(turn, step)) return false;
  const health = { ...step.health, healthySince: turn.now };
  putStep(turn, cursor.step, { ...step, fate: 'open', health });
  moveTo(turn, { step: cursor.step, at: 'work', gate: 0 });
  for (const number of keysOf(step.parked)) setAside(turn, number);
  return true;
}

/** Its tasks run even if all its targets have left since, and targets may have joined after its work was done. */
function leave(turn: Turn, step: StepState): boolean {
  return isThrough(turn, step) && isSettled(step) && moveBeyond(turn, step, 'cleared');
}

function isThrough(turn: Turn, step: StepState): boolean {
  const verdict = passGates(turn, step);
  if (verdict.kind !== 'no') return verdict.kind === 'go';
  const { reason, message, isFailure } = verdict;
  dropGate(turn);
  stop(turn, { reason, message, policy: isFailure ? step.plan.failurePolicy : 'pause' });
  return false;
}

function moveBeyond(turn: Turn, step: StepState, fate: 'passed' | 'cleared'): boolean {
  const { cursor } = turn.state;
  putStep(turn, cursor.step, { ...step, fate });
  return moveTo(turn, { step: cursor.step + 1, at: 'before', gate: 0 });
}

/** A gate still open at the old position is closed. */
function moveTo(turn: Turn, cursor: Cursor): true {
  dropGate(turn);
  turn.state.cursor = cursor;
  return true;
}

/** The plan is done; the rollout still waits for latecomers. */
function end(turn: Turn): false {
  const late = stepAt(turn, LATE_STEP);
  if (late !== undefined && isSettled(late) && !stopAtFailures(turn, 'all')) finish(turn, 'Succeeded', '');
  return false;
}

function isWaiting({ removals, deliveries, parked }: StepState): boolean {
  return removals.size + deliveries.size + parked.size > 0;
}

function isSettled(step: StepState): boolean {
  return !isWaiting(step) && step.underWay === 0;
}
