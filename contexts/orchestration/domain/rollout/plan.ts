import type { LabelSelector } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import type { Budget, FailurePolicy } from '../budget/budget.ts';
import type { Share } from '../budget/share.ts';
import type { GateSpec } from './gates/gate.ts';

/** What is to be done in which order. It is JSON, and says nothing of what happened to it since. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Of the resolved set, who has the new content already and is healthy: nothing to change, but part of the budget. */
  readonly current: readonly TargetId[];
  readonly budget: Budget;
}

export interface PlanStep {
  /** Unique in the plan; of a staged rollout, the name of the stage. */
  readonly name: string;
  /** Taken off these targets first; both lists are in the order of names. */
  readonly remove: readonly TargetId[];
  readonly deliver: readonly TargetId[];
  /** How many of the step's targets are in change at once; a percentage is of the step. */
  readonly maxConcurrency?: Share;
  readonly before: readonly GateSpec[];
  readonly after: readonly GateSpec[];
  readonly failurePolicy: FailurePolicy;
  /** Which targets that join later belong here: those selected, or `rest` for those that no other step selects. */
  readonly joins?: LabelSelector | 'rest';
}

/** All that get something by it, or lose something. */
export function touchedBy({ steps }: Plan): readonly TargetId[] {
  return steps.flatMap(({ deliver, remove }) => [...deliver, ...remove]);
}
