import { clearDeadline, firstDue, setDeadline } from './deadlines.ts';
import { type FailureReason, isWell, type Member } from './member.ts';
import { LATE_STEP } from './rollout-state.ts';
import { isOpen, memberAt, putMember, type Turn } from './turn.ts';

/** These failures leave the target as it was. */
const HARMLESS: readonly FailureReason[] = ['Rejected', 'GenerateFailed', 'RevisionAhead'];

/** The target has the content and is available: earlier failures no longer count. */
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

/** Fails members whose deadline has passed. */
export function expire(turn: Turn): void {
  for (let due = firstDue(turn, 'progress'); due !== undefined; due = firstDue(turn, 'progress')) {
    const what = memberAt(turn, due).status === 'Removing' ? 'removed' : 'available';
    fail(turn, due, { reason: 'ProgressDeadline', message: `progress deadline passed before it was ${what}` });
  }
  for (let due = firstDue(turn, 'offline'); due !== undefined; due = firstDue(turn, 'offline')) {
    fail(turn, due, { reason: 'OfflineDeadline', message: 'offline deadline passed before it came back' });
  }
}

/** Puts the member back in the queue of its own step, or among the latecomers if that step is behind. */
export function enqueue(turn: Turn, number: number): void {
  const { step = LATE_STEP, isOnline } = memberAt(turn, number);
  const home = step < turn.state.cursor.step ? LATE_STEP : step;
  put(turn, number, isOnline ? 'Pending' : 'Parked', { step: home });
  if (!isOnline && isOpen(turn, home)) setAside(turn, number);
}

/**
 * The member's turn has come, and it is offline.
 *
 * DECISION: the rollout does not wait for a removal from an offline target. The target is no longer part of the
 * deployment, and a dead cluster that was taken out must not hold up the others.
 */
export function setAside(turn: Turn, number: number): void {
  const member = memberAt(turn, number);
  const isSkipped = member.change === 'remove' || turn.state.budget.offlinePolicy === 'skip';
  if (isSkipped) put(turn, number, 'Skipped', { hasContent: mayHaveContent(member) });
  else setDeadline(turn, number, 'offline');
}

/** The member is no longer part of the rollout. */
export function drop(turn: Turn, number: number): void {
  put(turn, number, 'Dropped');
}

/** A target that was sent content may have it, whatever was reported. */
function mayHaveContent({ status, hasContent }: Member): boolean {
  return hasContent || status === 'Delivering' || status === 'Settling';
}

function put(turn: Turn, number: number, status: Member['status'], fields: Partial<Member> = {}): void {
  clearDeadline(turn, number);
  const { failure, isUnproven: _, ...member } = memberAt(turn, number);
  if (failure !== undefined && failure.era === turn.state.failures.era) countFailure(turn, failure.reason, -1);
  putMember(turn, number, { ...member, ...fields, status, since: turn.now });
}

/** Each era has one count per kind. */
export function countFailure({ state }: Turn, reason: FailureReason, by: number): void {
  const kind = reason === 'GenerateFailed' ? 'generate' : 'delivery';
  state.failures = { ...state.failures, [kind]: state.failures[kind] + by };
}
