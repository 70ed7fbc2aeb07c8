import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TargetId } from '#protocol/targets';
import { type Plan, type PlanStep, withRequiredGates } from './plan.ts';

const FOUR_EYES = { type: 'approval', requireDistinctApprover: true };
const WEAK = { type: 'approval' };

test('gates that are required stand before all others of the first step, and only there', () => {
  const plan = planOf(step('canary', [WEAK]), step('rest', [WEAK]));
  const { steps } = withRequiredGates(plan, [FOUR_EYES]);
  assert.deepEqual(
    steps.map(({ before }) => before),
    [[FOUR_EYES, WEAK], [WEAK]],
  );
});

test('the same gate of two workspaces, or of the rollout itself, is asked once', () => {
  const { steps } = withRequiredGates(planOf(step('all', [FOUR_EYES])), [FOUR_EYES, { ...FOUR_EYES }]);
  assert.deepEqual(steps[0]?.before, [FOUR_EYES]);
});

test('without any the plan is the very same', () => {
  const plan = planOf(step('all', []));
  assert.equal(withRequiredGates(plan, []), plan);
});

function step(name: string, before: PlanStep['before']): PlanStep {
  return { name, remove: [], deliver: ['t' as TargetId], before, after: [], failurePolicy: 'pause' };
}

function planOf(...steps: PlanStep[]): Plan {
  return { steps, current: [], budget: {} as Plan['budget'] };
}
