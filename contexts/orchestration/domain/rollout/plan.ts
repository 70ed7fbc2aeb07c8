import type { LabelSelector } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Budget, FailurePolicy } from '../budget/budget.ts';
import type { Share } from '../budget/share.ts';
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
