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
 * It cannot go on by itself.
 *
 * DECISION: a rollout that others queue behind does not pause, it gives way. What waits may well be the repair, and
 * would else wait for somebody to resume what is broken.
 */
export function stop(turn: Turn, { reason, message, policy }: Stop): void {
  const { state, now, actions } = turn;
  if (policy === 'rollback') {
    actions.push({ kind: 'rollback', reason, message });
    finish(turn, 'RolledBack', message);
  } else if (state.queued !== undefined) finish(turn, 'Superseded', message);
  else state.phase = { kind: 'Paused', since: now, reason, message };
}

/** Stops when more has failed than may. Failures to generate count too, when asked for all. */
export function stopAtFailures(turn: Turn, which: 'delivery' | 'all'): boolean {
  const { failures, cursor } = turn.state;
  const failed = failures.delivery + (which === 'all' ? failures.generate : 0);
  const allowed = limits(turn).failures;
  if (failed <= allowed) return false;
  const message = `${failed} failed, where at most ${allowed} may`;
  stop(turn, { reason: 'FailuresExceeded', message, policy: stepAt(turn, cursor.step)?.plan.failurePolicy ?? 'pause' });
  return true;
}

/** For good. */
export function finish(turn: Turn, outcome: Outcome, message: string): void {
  const { state, now, actions } = turn;
  dropGate(turn);
  delete state.blocked;
  delete state.timer;
  state.phase = { kind: 'Finished', since: now, outcome, message };
  actions.push({ kind: 'finish', outcome, owed: [...keysOf(state.owed)].map((number) => memberAt(turn, number).id) });
}
