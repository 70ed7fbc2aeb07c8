import type { FieldFault } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { type BudgetSpec, budgetFaults } from '../budget/budget.ts';
import type { PlacementView } from '../target-view.ts';
import type { GateRegistry } from './gates/gate.ts';
import type { Plan } from './plan.ts';

/** A deployment's rollout as its API takes it. The fields are those of its type, and have passed its schema. */
export type RolloutSpec = BudgetSpec & { readonly type: string; readonly [field: string]: unknown };

/** How fast and in what order. Strategies are pure, and know neither what is delivered nor why a target was placed. */
export interface RolloutStrategy<Spec extends RolloutSpec = RolloutSpec> {
  readonly type: Spec['type'];
  /** What a schema cannot see of the strategy's own fields, all of it at once. Those of the budget are looked at by `rolloutFaults`. */
  faults(spec: Spec, place: RolloutPlace): FieldFault[];
  /**
   * Of a spec without faults. Each target of the delta is in the plan once: in a step, or in `current`. A throw means
   * that nothing is delivered or removed.
   */
  plan(spec: Spec, input: PlanInput): Plan;
}

export interface RolloutPlace {
  /** The JSON pointer to the spec. */
  readonly at: string;
  readonly gates: GateRegistry;
}

export interface PlanInput {
  readonly delta: {
    readonly added: readonly TargetId[];
    readonly removed: readonly TargetId[];
    readonly unchanged: readonly TargetId[];
  };
  /** Of all in the delta; one that was removed may be gone, and have none. */
  readonly views: ReadonlyMap<TargetId, PlacementView>;
  /** Who has the new content already and is healthy. */
  readonly upToDate: ReadonlySet<TargetId>;
}

export type RolloutRegistry = ReadonlyMap<string, RolloutStrategy>;

/** An unknown type is a fault, and never the default. */
export function rolloutFaults(spec: RolloutSpec, registry: RolloutRegistry, place: RolloutPlace): FieldFault[] {
  const strategy = registry.get(spec.type);
  if (strategy === undefined) {
    const known = [...registry.keys()].sort((a, b) => (a < b ? -1 : 1)).join(', ');
    return [{ path: `${place.at}/type`, message: `must be one of ${known}` }];
  }
  return [...budgetFaults(spec, place.at), ...strategy.faults(spec, place)];
}
