import type { FieldFault } from '#kit/std';
import { type BudgetSpec, budgetFaults } from '../budget/budget.ts';
import type { GateRegistry } from './gates/gate.ts';
import type { Plan, PlanInput } from './plan.ts';

/** A deployment's rollout, as the API takes it. The fields depend on the type, and have passed its schema. */
export type RolloutSpec = BudgetSpec & { readonly type: string; readonly [field: string]: unknown };

/** How fast and in what order. Strategies are pure, and know neither what is delivered nor why a target was placed. */
export interface RolloutStrategy<Spec extends RolloutSpec = RolloutSpec> {
  readonly type: Spec['type'];
  /**
   * All faults of the strategy's own fields that a schema cannot detect. `rolloutFaults` checks the fields of the budget.
   */
  faults(spec: Spec, place: RolloutPlace): FieldFault[];
  /**
   * The spec must have no faults. Each target of the delta is in the plan once: in a step, or in `current`. If it throws,
   * nothing is delivered or removed.
   */
  plan(spec: Spec, input: PlanInput): Plan;
}

export interface RolloutPlace {
  /** JSON pointer to the spec. */
  readonly at: string;
  readonly gates: GateRegistry;
}

export type RolloutRegistry = ReadonlyMap<string, RolloutStrategy>;

/** An unknown type is a fault; there is no fallback. */
export function rolloutFaults(spec: RolloutSpec, registry: RolloutRegistry, place: RolloutPlace): FieldFault[] {
  const strategy = registry.get(spec.type);
  if (strategy === undefined) {
    const known = [...registry.keys()].sort((a, b) => (a < b ? -1 : 1)).join(', ');
    return [{ path: `${place.at}/type`, message: `must be one of ${known}` }];
  }
  return [...budgetFaults(spec, place.at), ...strategy.faults(spec, place)];
}
