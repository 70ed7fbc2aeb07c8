import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RolloutSpec } from '../rollout-strategy.ts';
import { type FleetTarget, factsOf, memberOf, planOf } from '../testing/a-rollout.ts';
import { RolloutRun } from '../testing/rollout-run.ts';
import { untouchedBy } from './hear-replan.ts';
import type { RolloutEvent } from './rollout-event.ts';

const CANARY = { name: 'canary', selector: { matchLabels: { tier: 'canary' } } };
const APPROVAL = { type: 'approval' };
const FLEET: readonly FleetTarget[] = [
  { name: 'a', labels: { tier: 'canary' } },
  { name: 'b' },
  { name: 'c' },
  { name: 'z', isUpToDate: true },
];

function replanned(spec: RolloutSpec, fleet = FLEET): RolloutEvent {
  return { kind: 'replan', plan: planOf(spec, fleet), facts: fleet.map(factsOf) };
}

test('what is done stays done, and the rest follows the new plan', () => {
  const run = new RolloutRun({ type: 'rolling', batchSize: 1 }, FLEET).settle('a');
  assert.deepEqual(run.sent, ['b']);
  assert.deepEqual(run.tell(replanned({ type: 'immediate' })).sent, ['c']);
  assert.equal(memberOf(run.state, 'b').status, 'Delivering');
  assert.equal(run.settle('b', 'c').phase.kind, 'Finished');
});

test('a budget that was too tight is loosened', () => {
  const run = new RolloutRun({ type: 'immediate', maxUnavailable: 0 }, FLEET);
  assert.equal(run.state.blocked?.kind, 'conflict');
  assert.deepEqual(run.tell(replanned({ type: 'immediate', maxUnavailable: 1 })).sent, ['a']);
});

test('a gate that was passed stays passed, one that is new is asked', () => {
  const spec = (...afterTasks: readonly { readonly type: string }[]) => ({
    type: 'staged',
    stages: [{ ...CANARY, afterTasks }],
  });
  const run = new RolloutRun(spec(APPROVAL), FLEET).settle('a').answer({ kind: 'approved', by: 'bob' });
  assert.deepEqual(run.sent, ['b', 'c']);
  assert.deepEqual(run.tell(replanned(spec(APPROVAL))).actions, []);
  run.tell(replanned(spec(APPROVAL, APPROVAL)));
  assert.deepEqual(run.kinds(), ['requestApproval']);
});

test('a gate that was open is asked anew: the old request is closed', () => {
  const spec = { type: 'staged', stages: [{ ...CANARY, afterTasks: [APPROVAL] }] };
  const run = new RolloutRun(spec, FLEET).settle('a').tell(replanned(spec));
  assert.deepEqual(run.kinds(), ['closeGate', 'requestApproval']);
});

test('what the new plan does not have is cancelled', () => {
  const run = new RolloutRun({ type: 'immediate' }, FLEET);
  run.tell(
    replanned(
      { type: 'immediate' },
      FLEET.filter(({ name }) => name !== 'b'),
    ),
  );
  assert.deepEqual(run.actions, [{ kind: 'cancelDeliveries', targets: ['b'] }]);
});

test('a plan that has no step for what was changed is refused: its gates would be passed for want of targets', () => {
  const run = new RolloutRun({ type: 'immediate' }, FLEET).settle('a');
  const fleet = FLEET.map((target) => (target.name === 'a' ? { ...target, isUpToDate: true } : target));
  assert.throws(() => run.tell(replanned({ type: 'immediate' }, fleet)), RangeError);
  assert.deepEqual([...untouchedBy(run.state)], ['z']);
});

test('failures still count', () => {
  const run = new RolloutRun({ type: 'immediate', maxFailures: 1 }, FLEET).fail('a');
  run.tell(replanned({ type: 'immediate', maxFailures: 1 })).fail('b');
  assert.equal(run.phase.kind, 'Paused');
});
