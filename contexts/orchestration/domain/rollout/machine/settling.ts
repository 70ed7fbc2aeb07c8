import { clearDeadline, firstDue, setDeadline } from './deadlines.ts';
import { type FailureReason, isWell, type Member } from './member.ts';
import { LATE_STEP } from './rollout-state.ts';
import { isOpen, memberAt, putMember, type Turn } from './turn.ts';

/** These leave the target as it was. */
const HARMLESS: readonly FailureReason[] = ['Rejected', 'GenerateFailed', 'RevisionAhead'];

/** It has the content and is well: what went wrong before is no failure any longer. */
export function settleIfWell(turn: Turn, number: number): boolean {
  const member = memberAt(turn, number);
  if (member.change !== 'deliver' || !member.hasNew || !isWell(member)) return false;
  if (member.status !== 'Done' && member.status !== 'Dropped') settle(turn, number);
  return true;
}

export function settle(turn: Turn, number: number): void {
  put(turn, number, 'Done');
}

export function fail(turn: Turn, number: number, why: { reason: FailureReason; message: string }): void {
  const member = memberAt(turn, number);
  const { era } = turn.state.failures;
  const hasContent = HARMLESS.includes(why.reason) ? member.hasContent : mayHaveContent(member);
  put(turn, number, 'Failed', { failure: { ...why, era }, hasContent });
  countFailure(turn, why.reason, 1);
}

/** Whoever has run out of time has failed. */
export function expire(turn: Turn): void {
  for (let due = firstDue(turn, 'progress'); due !== undefined; due = firstDue(turn, 'progress')) {
    fail(turn, due, { reason: 'ProgressDeadline', message: 'was not available with it in time' });
  }
  for (let due = firstDue(turn, 'offline'); due !== undefined; due = firstDue(turn, 'offline')) {
    fail(turn, due, { reason: 'OfflineDeadline', message: 'did not come back in time' });
  }
}

/** Back among those whose turn has not come: in its own step, or among the latecomers once that is behind. */
export function enqueue(turn: Turn, number: number): void {
  const { step = LATE_STEP, isOnline } = memberAt(turn, number);
  const home = step < turn.state.cursor.step ? LATE_STEP : step;
  put(turn, number, isOnline ? 'Pending' : 'Parked', { step: home });
  if (!isOnline && isOpen(turn, home)) setAside(turn, number);
}

/**
 * Its turn has come and it is offline.
 *
 * DECISION: nobody waits for a removal from an offline target. It is no part of the deployment any longer, and a dead
 * cluster that somebody took out must not hold up the living.
 */
export function setAside(turn: Turn, number: number): void {
  const member = memberAt(turn, number);
  const isSkipped = member.change === 'remove' || turn.state.budget.offlinePolicy === 'skip';
  if (isSkipped) put(turn, number, 'Skipped', { hasContent: mayHaveContent(member) });
  else setDeadline(turn, number, 'offline');
}

/** It is no longer part of the rollout. */
export function drop(turn: Turn, number: number): void {
  put(turn, number, 'Dropped');
}

/** Whoever was sent something may have it, whatever was heard. */
function mayHaveContent({ status, hasContent }: Member): boolean {
  return hasContent || status === 'Delivering' || status === 'Settling';
}

function put(turn: Turn, number: number, status: Member['status'], fields: Partial<Member> = {}): void {
  clearDeadline(turn, number);
  const { failure, ...member } = memberAt(turn, number);
  if (failure !== undefined && failure.era === turn.state.failures.era) countFailure(turn, failure.reason, -1);
  putMember(turn, number, { ...member, ...fields, status, since: turn.now });
}

/** An era has one count of each kind. */
export function countFailure({ state }: Turn, reason: FailureReason, by: number): void {
  const kind = reason === 'GenerateFailed' ? 'generate' : 'delivery';
  state.failures = { ...state.failures, [kind]: state.failures[kind] + by };
}
