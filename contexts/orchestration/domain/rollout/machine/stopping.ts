import type { FailurePolicy } from '../../budget/budget.ts';
import { dropGate } from './gate-keeping.ts';
import { keysOf } from './number-map.ts';
import type { Outcome, StopReason } from './phase.ts';
import { limits, memberAt, stepAt, type Turn } from './turn.ts';

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
export function stopAtFailures(turn: Turn, which: 'delivery' | 'all'): boolean {
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
