import type { TargetId } from '#protocol/targets';
import { finish, stop } from './advance.ts';
import { keysOf } from './number-map.ts';
import { enqueue } from './settling.ts';
import { memberAt, numberOf, putMember, type Turn } from './turn.ts';

export function start({ state, now }: Turn): void {
  state.isStarted = true;
  if (state.phase.kind === 'Planned') state.phase = { kind: 'Running', since: now };
}

/** The reason of the first pause stays. */
export function pause({ state, now }: Turn, by: string, why: string): void {
  if (state.phase.kind === 'Paused') return;
  const message = why === '' ? `${by} paused it` : `${by} paused it: ${why}`;
  state.phase = { kind: 'Paused', since: now, reason: 'PausedByUser', message };
}

/**
 * Resuming accepts the failures so far, for the budget.
 *
 * DECISION: for a health gate the targets that failed stay to be proven. Otherwise a resume after a failed canary would
 * pass the very gate that is there for the canary.
 */
export function resume(turn: Turn): void {
  const { state, now } = turn;
  if (state.phase.kind !== 'Paused') return;
  if (state.phase.reason === 'FailuresExceeded') leaveUnproven(turn);
  state.failures = { era: state.failures.era + 1, delivery: 0, generate: 0 };
  state.phase = { kind: state.isStarted ? 'Running' : 'Planned', since: now };
}

function leaveUnproven(turn: Turn): void {
  for (const number of keysOf(turn.state.owed)) {
    const member = memberAt(turn, number);
    if (member.status === 'Failed') putMember(turn, number, { ...member, isUnproven: true });
  }
}

export function abort(turn: Turn, by = 'a user'): void {
  const targets = [...keysOf(turn.state.underWay)].map((number) => memberAt(turn, number).id);
  if (targets.length > 0) turn.actions.push({ kind: 'cancelDeliveries', targets });
  finish(turn, 'Aborted', `${by} aborted it`);
}

export function retry(turn: Turn, targets: readonly TargetId[] | undefined): void {
  const { state } = turn;
  const numbers = targets === undefined ? [...keysOf(state.owed)] : targets.map((target) => numberOf(turn, target));
  for (const number of numbers) {
    if (number !== undefined && memberAt(turn, number).status === 'Failed') enqueue(turn, number);
  }
  if (state.phase.kind === 'Paused' && state.phase.reason === 'FailuresExceeded') resume(turn);
}

/** With `queue` the rollout finishes first, unless it is paused in a way that only a user can end. */
export function giveWay(turn: Turn, by: number): void {
  const { budget, phase } = turn.state;
  const isStopped = phase.kind === 'Paused' && phase.reason !== 'PausedByUser';
  const message = `superseded by revision ${by}${isStopped ? `, after it had stopped: ${phase.message}` : ''}`;
  turn.state.queued = by;
  if (budget.onCollision === 'supersede') finish(turn, 'Superseded', message);
  else if (isStopped) stop(turn, { ...phase, policy: 'pause' });
}
