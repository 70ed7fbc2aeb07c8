import { type FieldFault, type LabelSelector, matchesSelector, selectorFaults } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import {
  type BudgetSpec,
  budgetOf,
  choiceFaults,
  FAILURE_POLICIES,
  type FailurePolicy,
  type Share,
  shareFaults,
} from '../../budget/budget.ts';
import { type GateSpec, gateFaults } from '../gates/gate.ts';
import type { PlanInput } from '../plan.ts';
import { changeLists, type PlanStep } from '../plan.ts';
import type { RolloutPlace, RolloutStrategy } from '../rollout-strategy.ts';
import { REMOVAL_ORDERS, REMOVAL_STEP, type RemovalSpec, removalFaults, withRemoval } from './removal.ts';

export type StagedRollout = BudgetSpec & {
  readonly type: 'staged';
  readonly stages: readonly StageSpec[];
  readonly removal?: RemovalSpec;
};

export interface StageSpec {
  readonly name: string;
  /** A target belongs to the first stage that selects it. */
  readonly selector: LabelSelector;
  readonly maxConcurrency?: Share;
  /** In list order: each task begins when the one before it is done. */
  readonly beforeTasks?: readonly GateSpec[];
  readonly afterTasks?: readonly GateSpec[];
  readonly failurePolicy?: FailurePolicy;
}

/** The stage for targets that no other stage selects. It is last, has no tasks, and is part of every plan. */
export const REST_STAGE = 'rest';

const RESERVED: readonly string[] = [REST_STAGE, REMOVAL_STEP];

/** Stage after stage, each with a selector and with tasks before and after it. */
export const stagedRollout: RolloutStrategy<StagedRollout> = {
  type: 'staged',
  faults: ({ stages, removal }, place) => [
    ...stages.flatMap((stage, index) => [...stageFaults(stage, index, place), ...nameFaults(stages, index, place)]),
    ...removalFaults(removal, REMOVAL_ORDERS, place),
  ],
  plan(spec, input) {
    const { remove, deliver, current } = changeLists(input);
    const isWithStage = spec.removal?.order === 'withStage';
    const delivered = byStage(spec.stages, deliver, input);
    const removed = byStage(spec.stages, isWithStage ? remove : [], input);
    const steps = [...spec.stages.map((stage) => stageStep(stage, spec)), restStep(spec)].map((step, index) => ({
      ...step,
      remove: removed[index] ?? [],
      deliver: delivered[index] ?? [],
    }));
    return { steps: withRemoval(steps, isWithStage ? [] : remove, spec), current, budget: budgetOf(spec) };
  },
};

/** One list per stage, and one for the rest. */
function byStage(stages: readonly StageSpec[], targets: readonly TargetId[], { views }: PlanInput): TargetId[][] {
  const lists: TargetId[][] = [...stages.map(() => []), []];
  for (const id of targets) {
    const labels = views.get(id)?.labels;
    const found = labels === undefined ? -1 : stages.findIndex(({ selector }) => matchesSelector(selector, labels));
    lists.at(found)?.push(id);
  }
  return lists;
}

function stageStep(stage: StageSpec, spec: StagedRollout): PlanStep {
  const { maxConcurrency = spec.maxConcurrency } = stage;
  return {
    name: stage.name,
    remove: [],
    deliver: [],
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    before: stage.beforeTasks ?? [],
    after: stage.afterTasks ?? [],
    failurePolicy: stage.failurePolicy ?? spec.failurePolicy ?? 'pause',
    joins: stage.selector,
  };
}

function restStep(spec: StagedRollout): PlanStep {
  return { ...stageStep({ name: REST_STAGE, selector: {} }, spec), joins: 'rest' };
}

function stageFaults(stage: StageSpec, index: number, { at, gates }: RolloutPlace): FieldFault[] {
  const here = `${at}/stages/${index}`;
  return [
    ...selectorFaults(stage.selector, `${here}/selector`),
    ...shareFaults(stage.maxConcurrency, `${here}/maxConcurrency`, 1),
    ...gateFaults(stage.beforeTasks ?? [], gates, `${here}/beforeTasks`),
    ...gateFaults(stage.afterTasks ?? [], gates, `${here}/afterTasks`),
    ...choiceFaults(stage.failurePolicy, FAILURE_POLICIES, `${here}/failurePolicy`),
  ];
}

function nameFaults(stages: readonly StageSpec[], index: number, { at }: RolloutPlace): FieldFault[] {
  const name = stages[index]?.name ?? '';
  const path = `${at}/stages/${index}/name`;
  if (RESERVED.includes(name)) return [{ path, message: `must not be ${RESERVED.join(' or ')}, which every plan has` }];
  const isSecond = stages.findIndex((stage) => stage.name === name) < index;
  return isSecond ? [{ path, message: `is also the name of another stage: ${name}` }] : [];
}
