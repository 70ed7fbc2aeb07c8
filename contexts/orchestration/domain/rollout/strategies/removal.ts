import type { FieldFault } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { choiceFaults, type FailurePolicy, type Share, shareFaults } from '../../budget/budget.ts';
import { type GateSpec, gateFaults } from '../gates/gate.ts';
import type { PlanStep } from '../plan.ts';
import type { RolloutPlace } from '../rollout-strategy.ts';

export const REMOVAL_ORDERS = ['first', 'last', 'withStage'] as const;
export type RemovalOrder = (typeof REMOVAL_ORDERS)[number];

/** When and how a deployment is removed from targets that are no longer placed. */
export interface RemovalSpec {
  readonly order?: RemovalOrder;
  readonly maxConcurrency?: Share;
  readonly beforeTasks?: readonly GateSpec[];
  readonly afterTasks?: readonly GateSpec[];
}

export const REMOVAL_STEP = 'removal';

export function removalFaults(
  spec: RemovalSpec | undefined,
  orders: readonly string[],
  place: RolloutPlace,
): FieldFault[] {
  if (spec === undefined) return [];
  const at = `${place.at}/removal`;
  const faults = [
    ...choiceFaults(spec.order, orders, `${at}/order`),
    ...shareFaults(spec.maxConcurrency, `${at}/maxConcurrency`, 1),
    ...gateFaults(spec.beforeTasks ?? [], place.gates, `${at}/beforeTasks`),
    ...gateFaults(spec.afterTasks ?? [], place.gates, `${at}/afterTasks`),
  ];
  if (spec.order !== 'withStage') return faults;
  const ownPace = (['maxConcurrency', 'beforeTasks', 'afterTasks'] as const).filter((key) => spec[key] !== undefined);
  const message = 'must not be set: with order withStage the stage decides';
  return [...faults, ...ownPace.map((key) => ({ path: `${at}/${key}`, message }))];
}

/** The delivery steps, with the removal step inserted in its place. There is no removal step without removals. */
export function withRemoval(
  steps: readonly PlanStep[],
  remove: readonly TargetId[],
  { removal = {}, failurePolicy = 'pause' }: { removal?: RemovalSpec; failurePolicy?: FailurePolicy },
): readonly PlanStep[] {
  if (remove.length === 0) return steps;
  const { maxConcurrency } = removal;
  const step: PlanStep = {
    name: REMOVAL_STEP,
    remove,
    deliver: [],
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    before: removal.beforeTasks ?? [],
    after: removal.afterTasks ?? [],
    failurePolicy,
  };
  return removal.order === 'last' ? [...steps, step] : [step, ...steps];
}
