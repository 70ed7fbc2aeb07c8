import { assertNever } from '#kit/std';
import { admits, atLeastOne, type FailurePolicy } from '../../budget/budget.ts';
import { setDeadline } from './deadlines.ts';
import { dropGate, passGates } from './gate-keeping.ts';
import { firstOf, keysOf } from './number-map.ts';
import type { Outcome, StopReason } from './phase.ts';
import { type Cursor, LATE_STEP, type StepState } from './rollout-state.ts';
import { setAside } from './settling.ts';
import { isOpen, limits, memberAt, putMember, putStep, stepAt, type Turn } from './turn.ts';

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

/** Sends orders to as many targets as the budget allows now. */
function launch(turn: Turn): void {
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

export interface Stop {
  readonly reason: StopReason;
  readonly message: string;
  readonly policy: FailurePolicy;
}

/**
 * Called when the rollout cannot continue by itself.
 *
 * DECISION: a rollout with another one queued behind it does not pause, it gives way. The queued one may be the repair,
 * and would otherwise wait until a user resumes the broken one.
 */
export function stop(turn: Turn, { reason, message, policy }: Stop): void {
  const { state, now, actions } = turn;
  if (policy === 'rollback') {
    actions.push({ kind: 'rollback', reason, message });
    finish(turn, 'RolledBack', message);
  } else if (state.queued !== undefined) finish(turn, 'Superseded', message);
  else state.phase = { kind: 'Paused', since: now, reason, message };
}

/** Stops the rollout when there are more failures than allowed. `all` also counts failures to generate. */
function stopAtFailures(turn: Turn, which: 'delivery' | 'all'): boolean {
  const { failures, cursor } = turn.state;
  const failed = failures.delivery + (which === 'all' ? failures.generate : 0);
  const allowed = limits(turn).failures;
  if (failed <= allowed) return false;
  const message = `failed targets: ${failed}, allowed: ${allowed}`;
  stop(turn, { reason: 'FailuresExceeded', message, policy: stepAt(turn, cursor.step)?.plan.failurePolicy ?? 'pause' });
  return true;
}

/** Ends the rollout for good. */
export function finish(turn: Turn, outcome: Outcome, message: string): void {
  const { state, now, actions } = turn;
  dropGate(turn);
  delete state.blocked;
  delete state.timer;
  state.phase = { kind: 'Finished', since: now, outcome, message };
  actions.push({ kind: 'finish', outcome, owed: [...keysOf(state.owed)].map((number) => memberAt(turn, number).id) });
}
