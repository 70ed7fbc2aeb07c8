import { atLeastOne, limitsOf } from '../../budget/budget.ts';
import { BUILT_IN_GATES } from '../gates/built-in-gates.ts';
import { createExplainWait } from '../machine/explain-wait.ts';
import { marksOf } from '../machine/member.ts';
import { valueAt } from '../machine/number-map.ts';
import type { RolloutState } from '../machine/rollout-state.ts';
import { memberOf, membersOf } from './a-rollout.ts';
import { auditState } from './audit-state.ts';
import type { SimulatedStep } from './fleet-simulator.ts';
import type { GateWatch } from './gate-watch.ts';

const explainWait = createExplainWait(BUILT_IN_GATES);

/** Checks the invariants after every event. `gates` has seen all events before. */
export function brokenRules(step: SimulatedStep, gates: GateWatch): string[] {
  return [
    ...auditState(step.after),
    ...beyondBudget(step),
    ...gates.look(step),
    ...withoutNeed(step),
    ...afterTheEnd(step),
    ...silence(step),
  ];
}

/** No events are left: then only a user, an open gate or the budget may block the rollout. */
export function brokenEnd(state: RolloutState): string[] {
  if (state.phase.kind === 'Paused') return [];
  if (state.phase.kind !== 'Finished') {
    const waits = explainWait(state, state.now);
    const isExcused = waits.some(({ kind, until }) => kind === 'conflict' || (kind === 'gate' && until === undefined));
    return isExcused ? [] : [`hangs on ${waits.map(({ kind }) => kind).join(', ')}`];
  }
  if (state.phase.outcome !== 'Succeeded') return [];
  const isSeenTo = ({ status }: { status: string }): boolean => status === 'Done' || status === 'Dropped';
  const forgotten = membersOf(state).filter((member) => !isSeenTo(member) && !marksOf(member).isOwed);
  return forgotten.map(({ id, status }) => `succeeded while ${id} was ${status}`);
}

/** No target is changed beyond the budget at any instant. The audit verifies the counts that are used here. */
function beyondBudget({ after, actions }: SimulatedStep): string[] {
  const limits = limitsOf(after.budget, after.placed);
  return actions.flatMap((action) => {
    if (action.kind !== 'generateAndDeliver' && action.kind !== 'remove') return [];
    const { hasContent, health, step: index = -1 } = memberOf(after, action.target);
    const step = valueAt(after.steps, index);
    const limit = step?.plan.maxConcurrency ?? Infinity;
    const isChange = action.kind === 'generateAndDeliver';
    const wasBroken = hasContent && health === 'Degraded';
    return [
      ...rule(after.underWay.size <= limits.concurrency, 'more is under way than may be at once'),
      ...rule(step !== undefined && step.underWay <= atLeastOne(limit, step.members), 'more is under way in a step'),
      ...rule(!isChange || after.inChange <= limits.unavailable, 'more is in change than may be unavailable'),
      ...rule(
        !isChange || wasBroken || after.unavailable.size <= limits.unavailable,
        'more is unavailable than may be',
      ),
    ];
  });
}

/** No target is sent content that it has already. */
function withoutNeed({ before, event, actions }: SimulatedStep): string[] {
  if (event.kind === 'membershipChanged') return [];
  const done = new Set(
    membersOf(before).flatMap(({ id, status, change }) => (status === 'Done' ? `${change} ${id}` : [])),
  );
  return actions.flatMap((action) => {
    if (action.kind !== 'generateAndDeliver') return [];
    return rule(!done.has(`deliver ${action.target}`), `${action.target} was sent it again`);
  });
}

/** A finished rollout, superseded or otherwise, never acts again. */
function afterTheEnd({ before, after, actions }: SimulatedStep): string[] {
  return rule(before.phase.kind !== 'Finished' || (after === before && actions.length === 0), 'acts after its end');
}

/** It says what it waits for, and says the same when it was stored in between. */
function silence({ after, now }: SimulatedStep): string[] {
  const waits = explainWait(after, now);
  const stored = explainWait(JSON.parse(JSON.stringify(after)) as RolloutState, now);
  return [
    ...rule((waits.length === 0) === (after.phase.kind === 'Finished'), 'does not say what it waits for'),
    ...rule(JSON.stringify(waits) === JSON.stringify(stored), 'says something else once it was stored'),
  ];
}

function rule(holds: boolean, otherwise: string): string[] {
  return holds ? [] : [otherwise];
}
