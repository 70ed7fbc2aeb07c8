import { canonicalJson, type LabelSelector } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Budget, FailurePolicy, Share } from '../budget/budget.ts';
import type { PlacementView } from '../target-view.ts';
import type { GateSpec } from './gates/gate.ts';

/** The changes to make, and their order. JSON; it does not record progress. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /**
   * Targets of the resolved set that have the new content already and are healthy: nothing to change, but they count in
   * the budget.
   */
  readonly current: readonly TargetId[];
  readonly budget: Budget;
}

export interface PlanStep {
  /** Unique in the plan; for a staged rollout, the name of the stage. */
  readonly name: string;
  /** Removals go first; both lists are ordered by target name. */
  readonly remove: readonly TargetId[];
  readonly deliver: readonly TargetId[];
  /** How many of the step's targets may be in change at once; a percentage refers to the step. */
  readonly maxConcurrency?: Share;
  readonly before: readonly GateSpec[];
  readonly after: readonly GateSpec[];
  readonly failurePolicy: FailurePolicy;
  /**
   * Which targets that join later belong to this step: those selected, or `rest` for those that no other step selects.
   */
  readonly joins?: LabelSelector | 'rest';
}

/** All targets that the plan delivers to or removes from. */
export function touchedBy({ steps }: Plan): readonly TargetId[] {
  return steps.flatMap(({ deliver, remove }) => [...deliver, ...remove]);
}

/**
 * Adds the gates that workspace policies require before anything is delivered or removed. A gate that the plan already
 * has there is not duplicated.
 */
export function withRequiredGates(plan: Plan, required: readonly GateSpec[]): Plan {
  const [first, ...rest] = plan.steps;
  if (first === undefined || required.length === 0) return plan;
  const gates = new Map([...required, ...first.before].map((gate) => [canonicalJson(gate), gate]));
  return { ...plan, steps: [{ ...first, before: [...gates.values()] }, ...rest] };
}

export interface PlanInput {
  readonly delta: {
    readonly added: readonly TargetId[];
    readonly removed: readonly TargetId[];
    readonly unchanged: readonly TargetId[];
  };
  /** Views of all targets in the delta; a removed target may be gone and have none. */
  readonly views: ReadonlyMap<TargetId, PlacementView>;
  /** Targets that have the new content already and are healthy. */
  readonly upToDate: ReadonlySet<TargetId>;
}

/** The targets to change, ordered by name, so that the same delta gives the same plan. */
export interface ChangeLists {
  readonly remove: readonly TargetId[];
  readonly deliver: readonly TargetId[];
  readonly current: readonly TargetId[];
}

export function changeLists({ delta, views, upToDate }: PlanInput): ChangeLists {
  const byName = (a: TargetId, b: TargetId): number =>
    compare(views.get(a)?.name ?? '', views.get(b)?.name ?? '') || compare(a, b);
  const resolved = [...delta.added, ...delta.unchanged].sort(byName);
  return {
    remove: [...delta.removed].sort(byName),
    deliver: resolved.filter((id) => !upToDate.has(id)),
    current: resolved.filter((id) => upToDate.has(id)),
  };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
