import { openSpecOf } from '../../rollout/machine/gate-keeping.ts';
import { valueAt } from '../../rollout/machine/number-map.ts';
import type { RolloutState } from '../../rollout/machine/rollout-state.ts';

/** An event of the rollout as a whole. */
export interface GeneralFact {
  readonly kind:
    | 'planned'
    | 'started'
    | 'paused'
    | 'resumed'
    | 'finished'
    | 'stepBegan'
    | 'stepPassed'
    | 'stepDone'
    | 'gateOpened'
    | 'gateClosed'
    | 'gateAnswered'
    | 'retried'
    | 'replanned'
    | 'superseded';
  readonly message: string;
}

/** The progress from one state to the next. */
export function progressOf(before: RolloutState, after: RolloutState): readonly GeneralFact[] {
  const isOtherGate = before.gate?.id !== after.gate?.id;
  return [
    ...startOf(before, after),
    ...(isOtherGate ? gateFact(before, 'gateClosed', 'is over') : []),
    ...stepsOf(before, after),
    ...(isOtherGate ? gateFact(after, 'gateOpened', 'was reached') : []),
    ...endOf(before, after),
  ];
}

function startOf(before: RolloutState, after: RolloutState): readonly GeneralFact[] {
  const isFirst = !before.isStarted && after.isStarted;
  if (isFirst) return [{ kind: 'started', message: 'the rollout began' }];
  const isResumed = before.phase.kind === 'Paused' && after.phase.kind === 'Running';
  return isResumed ? [{ kind: 'resumed', message: 'the rollout goes on' }] : [];
}

/** Only the steps passed in between: a plan may have a great many. */
function stepsOf(before: RolloutState, after: RolloutState): readonly GeneralFact[] {
  const facts: GeneralFact[] = [];
  for (let number = before.cursor.step; number <= after.cursor.step; number += 1) {
    const [old, now] = [valueAt(before.steps, number), valueAt(after.steps, number)];
    if (now === undefined || old?.fate === now.fate) continue;
    const { name } = now.plan;
    if (old?.fate === 'ahead' && (now.fate === 'open' || now.fate === 'cleared')) {
      facts.push({ kind: 'stepBegan', message: `step ${name} began` });
    }
    if (now.fate === 'cleared') facts.push({ kind: 'stepDone', message: `step ${name} is done` });
    if (now.fate === 'passed') facts.push({ kind: 'stepPassed', message: `step ${name} has nothing to change` });
  }
  return facts;
}

function gateFact(state: RolloutState, kind: GeneralFact['kind'], became: string): readonly GeneralFact[] {
  if (state.gate === undefined) return [];
  const step = valueAt(state.steps, state.cursor.step);
  const type = openSpecOf(state, step)?.type ?? 'a';
  const name = step?.plan.name ?? state.cursor.step;
  return [{ kind, message: `the ${type} gate ${state.cursor.at} step ${name} ${became}` }];
}

function endOf({ phase: old }: RolloutState, { phase }: RolloutState): readonly GeneralFact[] {
  if (phase.kind === old.kind) return [];
  if (phase.kind === 'Paused') return [{ kind: 'paused', message: `the rollout paused: ${phase.message}` }];
  if (phase.kind !== 'Finished') return [];
  const why = phase.message === '' ? '' : `: ${phase.message}`;
  return [{ kind: 'finished', message: `the rollout ended as ${phase.outcome}${why}` }];
}
