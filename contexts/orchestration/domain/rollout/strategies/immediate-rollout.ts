import { type BudgetSpec, budgetOf } from '../../budget/budget.ts';
import { changeLists } from '../plan.ts';
import type { RolloutStrategy } from '../rollout-strategy.ts';
import { type RemovalSpec, removalFaults, withRemoval } from './removal.ts';

export type ImmediateRollout = BudgetSpec & {
  readonly type: 'immediate';
  readonly removal?: RemovalSpec;
};

/** Removes from all targets that left, then delivers to all others at once, as far as the budget allows. */
export const immediateRollout: RolloutStrategy<ImmediateRollout> = {
  type: 'immediate',
  faults: ({ removal }, place) => removalFaults(removal, ['first', 'last'], place),
  plan(spec, input) {
    const { remove, deliver, current } = changeLists(input);
    const failurePolicy = spec.failurePolicy ?? 'pause';
    const all = { name: 'all', remove: [], deliver, before: [], after: [], failurePolicy, joins: 'rest' } as const;
    return { steps: withRemoval([all], remove, spec), current, budget: budgetOf(spec) };
  },
};
