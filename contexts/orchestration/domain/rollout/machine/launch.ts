import { admits } from '../../budget/limits.ts';
import { atLeastOne } from '../../budget/share.ts';
import { setDeadline } from './deadlines.ts';
import { firstOf } from './number-map.ts';
import { LATE_STEP, type StepState } from './rollout-state.ts';
import { isOpen, limits, memberAt, putMember, stepAt, type Turn } from './turn.ts';

/** Sends orders to as many targets as the budget allows now. */
export function launch(turn: Turn): void {
  const steps = isOpen(turn, turn.state.cursor.step) ? [LATE_STEP, turn.state.cursor.step] : [LATE_STEP];
  const isHeld = steps.map((step) => launchStep(turn, step)).includes('held');
  noteBlocked(turn, isHeld);
}

function launchStep(turn: Turn, index: number): 'held' | 'free' {
  for (let step = stepAt(turn, index); step !== undefined && hasRoom(turn, step); step = stepAt(turn, index)) {
    const next = firstOf(step.removals)?.[0] ?? nextDelivery(turn, step);
    if (next === undefined) return step.deliveries.size > 0 ? 'held' : 'free';
    send(turn, next);
  }
  return 'free';
}

function hasRoom(turn: Turn, { plan, members, underWay }: StepState): boolean {
  if (turn.state.underWay.size >= limits(turn).concurrency) return false;
  return plan.maxConcurrency === undefined || underWay < atLeastOne(plan.maxConcurrency, members);
}

function nextDelivery(turn: Turn, { deliveries, broken }: StepState): number | undefined {
  const usage = { inChange: turn.state.inChange, unavailable: turn.state.unavailable.size };
  if (admits(limits(turn), usage, { isBroken: false })) return firstOf(deliveries)?.[0];
  return admits(limits(turn), usage, { isBroken: true }) ? firstOf(broken)?.[0] : undefined;
}

function send(turn: Turn, number: number): void {
  const member = memberAt(turn, number);
  const { revision } = turn.state;
  const [status, kind] =
    member.change === 'deliver' ? (['Delivering', 'generateAndDeliver'] as const) : (['Removing', 'remove'] as const);
  putMember(turn, number, { ...member, status, since: turn.now, hasNew: false });
  setDeadline(turn, number, 'progress');
  turn.actions.push({ kind, target: member.id, revision });
}

/** While orders are under way the budget may soon have room again; without any, it blocks all progress. */
function noteBlocked({ state, now }: Turn, isHeld: boolean): void {
  if (!isHeld) {
    delete state.blocked;
    return;
  }
  const kind = state.inChange > 0 ? 'throttled' : 'conflict';
  if (state.blocked?.kind !== kind) state.blocked = { kind, since: now };
}
