import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MINUTE, RolloutRun } from '../testing/rollout-run.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const STAGES = ['canary', 'prod'].map((tier) => ({
  name: tier,
  selector: { matchLabels: { tier } },
  afterTasks: [{ type: 'health', stableDuration: '1m' }],
}));
const SPECS = [
  { type: 'immediate', maxUnavailable: 2 },
  { type: 'rolling', batchSize: '40%', maxFailures: 1 },
  { type: 'staged', stages: STAGES, maxConcurrency: 2 },
];

const name = fc.constantFrom(...NAMES);
const tellings = fc.oneof(
  name.map((each) => (run: RolloutRun) => run.settle(each)),
  name.map((each) => (run: RolloutRun) => run.fail(each)),
  name.map((each) => (run: RolloutRun) => run.health(each, 'Degraded')),
  fc.tuple(name, fc.boolean()).map(
    ([each, isOnline]) =>
      (run: RolloutRun) =>
        run.connection(each, isOnline),
  ),
  fc.constant((run: RolloutRun) => run.pass(MINUTE)),
  fc.constant((run: RolloutRun) => run.tell({ kind: 'pause', by: 'ann', message: '' })),
  fc.constant((run: RolloutRun) => run.tell({ kind: 'resume' })),
);
const fleets = fc
  .array(fc.record({ tier: fc.constantFrom('canary', 'prod', 'edge'), isRemoved: fc.boolean() }), {
    minLength: NAMES.length,
    maxLength: NAMES.length,
  })
  .map((targets) => targets.map(({ tier, isRemoved }, at) => ({ name: NAMES[at] ?? '', labels: { tier }, isRemoved })))
  .chain((fleet) => fc.tuple(fc.constant(fleet), fc.shuffledSubarray(fleet, { minLength: fleet.length })));

test('a history that is told again gives the same decisions, in whatever order the fleet was listed', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SPECS), fleets, fc.array(tellings, { maxLength: 25 }), (spec, orders, history) => {
      const [first, again] = orders.map((fleet) => decisionsOf(new RolloutRun(spec, fleet), history));
      assert.deepEqual(again, first);
    }),
    { numRuns: 1_000 },
  );
});

function decisionsOf(run: RolloutRun, history: readonly ((run: RolloutRun) => RolloutRun)[]): unknown[] {
  return [run.actions, ...history.map((tell) => [tell(run).actions, run.phase])];
}
