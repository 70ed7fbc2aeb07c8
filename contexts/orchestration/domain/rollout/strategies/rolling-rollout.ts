import type { TargetId } from '#protocol/targets';
import { atLeastOne, type BudgetSpec, budgetOf, type Share, shareFaults } from '../../budget/budget.ts';
import { changeLists, type PlanStep } from '../plan.ts';
import type { RolloutStrategy } from '../rollout-strategy.ts';
import { type RemovalSpec, removalFaults, withRemoval } from './removal.ts';

export type RollingRollout = BudgetSpec & {
  readonly type: 'rolling';
  /** A percentage refers to the resolved set. */
  readonly batchSize: Share;
  readonly removal?: RemovalSpec;
};

/** Batch by batch: the next one starts when all targets of this one have the content and are available. */
export const rollingRollout: RolloutStrategy<RollingRollout> = {
  type: 'rolling',
  faults: ({ batchSize, removal }, place) => [
    ...shareFaults(batchSize, `${place.at}/batchSize`, 1),
    ...removalFaults(removal, ['first', 'last'], place),
  ],
  plan(spec, input) {
    const { remove, deliver, current } = changeLists(input);
    const size = atLeastOne(spec.batchSize, deliver.length + current.length);
    const steps = batchesOf(deliver, size).map(
      (batch, index, { length }): PlanStep => ({
        name: `batch-${index + 1}`,
        remove: [],
        deliver: batch,
        // The last batch may grow as targets join, but never has more in change than its size.
        maxConcurrency: size,
        before: [],
        after: [],
        failurePolicy: spec.failurePolicy ?? 'pause',
        ...(index === length - 1 ? { joins: 'rest' } : {}),
      }),
    );
    return { steps: withRemoval(steps, remove, spec), current, budget: budgetOf(spec) };
  },
};

/** There is always one batch, for targets that join. */
function batchesOf(targets: readonly TargetId[], size: number): readonly (readonly TargetId[])[] {
  const batches: (readonly TargetId[])[] = [];
  for (let start = 0; start === 0 || start < targets.length; start += size) {
    batches.push(targets.slice(start, start + size));
  }
  return batches;
}
