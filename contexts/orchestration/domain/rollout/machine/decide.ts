import { assertNever } from '#kit/std';
import type { GateRegistry } from '../gates/gate.ts';
import type { Action } from './action.ts';
import { advance } from './advance.ts';
import { wake } from './deadlines.ts';
import { hearAnswer } from './gate-keeping.ts';
import { abort, giveWay, pause, resume, retry, start } from './hear-command.ts';
import { join, leave } from './hear-membership.ts';
import { replan } from './hear-replan.ts';
import { hearConnection, hearDelivered, hearFailure, hearHealth, hearRemoved } from './hear-target.ts';
import type { RolloutEvent } from './rollout-event.ts';
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
export type Decide = (state: RolloutState, event: RolloutEvent, now: number) => Decision;

export function createDecide(gates: GateRegistry): Decide {
  return (state, event, now) => {
    if (state.phase.kind === 'Finished') return { state, actions: [] };
    const turn = beginTurn(state, now, gates);
    hear(turn, event);
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

function hear(turn: Turn, event: RolloutEvent): void {
  switch (event.kind) {
    case 'started':
      return start(turn);
    case 'delivered':
      return hearDelivered(turn, event);
    case 'removed':
      return hearRemoved(turn, event.target);
    case 'deliveryFailed':
    case 'rejected':
    case 'generateFailed':
    case 'removeFailed':
    case 'fenced':
      return hearFailure(turn, event.target, event);
    case 'healthChanged':
      return hearHealth(turn, event.target, event);
    case 'connectionChanged':
      return hearConnection(turn, event.target, event.isOnline);
    case 'gateAnswered':
      return hearAnswer(turn, event);
    case 'pause':
      return pause(turn, event.by, event.message);
    case 'resume':
      return resume(turn);
    case 'abort':
      return abort(turn, event.by);
    case 'retry':
      return retry(turn, event.targets);
    case 'membershipChanged':
      for (const target of event.left) leave(turn, target);
      for (const joiner of event.joined) join(turn, joiner);
      return;
    case 'replan':
      return replan(turn, event);
    case 'superseded':
      return giveWay(turn, event.by);
    case 'clock':
      return;
    default:
      return assertNever(event, 'event');
  }
}
