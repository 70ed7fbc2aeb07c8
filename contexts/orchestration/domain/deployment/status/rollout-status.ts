import type { Wait } from '../../rollout/machine/explain-wait.ts';
import { entriesOf, keysOf, valueAt } from '../../rollout/machine/number-map.ts';
import { LATE_STEP, type RolloutState, type StepState } from '../../rollout/machine/rollout-state.ts';
import type { RolloutStatus, StepStatus } from './deployment-status.ts';

export interface RolloutScene {
  readonly state: RolloutState;
  readonly startTime: number;
  readonly trigger: string;
  readonly waits: readonly Wait[];
}

/** A plan may have one step per target. The status shows the steps around the current one. */
const STEPS = 50;

export function rolloutStatus({ state, startTime, trigger, waits }: RolloutScene): RolloutStatus {
  const { phase, revision, requestedBy } = state;
  const stopped = phase.kind === 'Paused' ? { reason: phase.reason, message: phase.message } : {};
  const ended =
    phase.kind === 'Finished'
      ? { outcome: phase.outcome, ...(phase.message === '' ? {} : { message: phase.message }) }
      : {};
  return {
    revision,
    phase: phase.kind,
    since: phase.since,
    startTime,
    ...stopped,
    ...ended,
    requestedBy,
    trigger,
    steps: stepsOf(state),
    waits,
  };
}

function stepsOf(state: RolloutState): readonly StepStatus[] {
  const failed = new Map<number, number>();
  for (const number of keysOf(state.owed)) {
    const step = valueAt(state.members, number)?.step ?? LATE_STEP;
    failed.set(step, (failed.get(step) ?? 0) + 1);
  }
  const first = Math.max(1, Math.min(state.cursor.step - STEPS / 2, state.steps.size - STEPS));
  const shown = [...entriesOf(state.steps)].filter(([index, { members }]) =>
    index === LATE_STEP ? members > 0 : index >= first && index < first + STEPS,
  );
  return shown.map(([index, step]) => stepStatus(state, { index, step, failed: failed.get(index) ?? 0 }));
}

function stepStatus(
  state: RolloutState,
  { index, step, failed }: { readonly index: number; readonly step: StepState; readonly failed: number },
): StepStatus {
  const { plan, fate, members, removals, deliveries, parked, underWay } = step;
  const { cursor, gate } = state;
  const spec = cursor.step === index && cursor.at !== 'work' ? plan[cursor.at][cursor.gate] : undefined;
  const open =
    gate === undefined || spec === undefined ? {} : { gate: { id: gate.id, type: spec.type, since: gate.openedAt } };
  const done = members - removals.size - deliveries.size - parked.size - underWay - failed;
  return { name: plan.name, fate, targets: members, done, failed, underWay, ...open };
}
