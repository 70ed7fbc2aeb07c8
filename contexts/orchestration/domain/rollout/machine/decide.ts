import { assertNever } from '#kit/std';
import type { GateRegistry } from '../gates/gate.ts';
import type { Action } from './action.ts';
import { advance } from './advance.ts';
import { wake } from './deadlines.ts';
import { hearAnswer } from './gate-keeping.ts';
import type { Happening } from './happening.ts';
import { abort, giveWay, pause, resume, retry, start } from './hear-command.ts';
import { join, leave } from './hear-membership.ts';
import { replan } from './hear-replan.ts';
import { hearConnection, hearDelivered, hearFailure, hearHealth, hearRemoved } from './hear-target.ts';
import type { RolloutState } from './rollout-state.ts';
import { expire } from './settling.ts';
import { beginTurn, type Turn } from './turn.ts';

export interface Decision {
  readonly state: RolloutState;
  readonly actions: readonly Action[];
}

/**
 * The next state of a rollout after an event, and the actions to carry out. The same state, event and time always give
 * the same decision. The cost of an event of one target does not depend on the number of targets.
 */
export type Decide = (state: RolloutState, happening: Happening, now: number) => Decision;

export function createDecide(gates: GateRegistry): Decide {
  return (state, happening, now) => {
    if (state.phase.kind === 'Finished') return { state, actions: [] };
    const turn = beginTurn(state, now, gates);
    hear(turn, happening);
    if (isGoing(turn)) {
      expire(turn);
      advance(turn);
    }
    if (isGoing(turn)) wake(turn);
    return { state: turn.state, actions: turn.actions };
  };
}

function isGoing({ state }: Turn): boolean {
  return state.phase.kind !== 'Finished';
}

function hear(turn: Turn, happening: Happening): void {
  switch (happening.kind) {
    case 'started':
      return start(turn);
    case 'delivered':
      return hearDelivered(turn, happening.target, happening.changed);
    case 'removed':
      return hearRemoved(turn, happening.target);
    case 'deliveryFailed':
    case 'rejected':
    case 'generateFailed':
    case 'removeFailed':
    case 'fenced':
      return hearFailure(turn, happening.target, happening);
    case 'healthChanged':
      return hearHealth(turn, happening.target, happening);
    case 'connectionChanged':
      return hearConnection(turn, happening.target, happening.isOnline);
    case 'gateAnswered':
      return hearAnswer(turn, happening);
    case 'pause':
      return pause(turn, happening.by, happening.message);
    case 'resume':
      return resume(turn);
    case 'abort':
      return abort(turn, happening.by);
    case 'retry':
      return retry(turn, happening.targets);
    case 'membershipChanged':
      for (const target of happening.left) leave(turn, target);
      for (const joiner of happening.joined) join(turn, joiner);
      return;
    case 'replan':
      return replan(turn, happening);
    case 'superseded':
      return giveWay(turn, happening.by);
    case 'clock':
      return;
    default:
      return assertNever(happening, 'happening');
  }
}
