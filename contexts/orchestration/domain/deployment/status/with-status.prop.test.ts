import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TargetId } from '#protocol/targets';
import { aDeployment } from '../../../testing/a-revision.ts';
import { OUTCOMES, STOP_REASONS } from '../../rollout/machine/phase.ts';
import type { Deployment } from '../deployment.ts';
import { CONDITION_REASONS, TROUBLE_REASONS } from './conditions.ts';
import { NO_COUNTS } from './counts-after.ts';
import { CONDITION_TYPES, type PlacementStatus, type RolloutStatus, type TargetCounts } from './deployment-status.ts';
import { type StatusChanges, withStatus } from './with-status.ts';

const few = fc.integer({ min: 0, max: 2 });
const counts: fc.Arbitrary<TargetCounts> = fc.record(
  Object.fromEntries(Object.keys(NO_COUNTS).map((key) => [key, few])) as Record<keyof TargetCounts, typeof few>,
);
const held = { id: 'a' as TargetId, why: 'NoCause', message: 'm' } as const;
const placement: fc.Arbitrary<PlacementStatus> = fc
  .record({
    kind: fc.constantFrom('unresolved' as const, 'sure' as const, 'unsure' as const),
    missing: fc.subarray(['x', 'y']),
    held: fc.subarray([held]),
  })
  .map((its) => ({ excluded: [], retained: [], ...its }));
const rollout: fc.Arbitrary<RolloutStatus> = fc
  .record({
    revision: fc.integer({ min: 1, max: 3 }),
    phase: fc.constantFrom('Planned' as const, 'Running' as const, 'Paused' as const, 'Finished' as const),
    reason: fc.constantFrom(...STOP_REASONS),
    outcome: fc.constantFrom(...OUTCOMES),
    waits: fc.subarray(['gate' as const, 'conflict' as const]),
  })
  .map(({ waits, ...its }) => ({
    ...its,
    since: 1,
    startTime: 1,
    requestedBy: 'user:a',
    trigger: 't',
    steps: [],
    waits: waits.map((kind) => ({ kind, since: 1, message: kind, unblock: 'u' })),
  }));
const trouble = fc.constantFrom(undefined, ...TROUBLE_REASONS.map((reason) => ({ reason, message: 'm', since: 1 })));
const changes: fc.Arbitrary<StatusChanges> = fc.record(
  {
    observedGeneration: few,
    revision: few,
    rollout: fc.constantFrom(undefined, 1, 2, 3),
    status: fc.record({ counts, placement, rollout, trouble }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

test('whatever happens to a deployment, its status stays whole, and says since when each condition is so', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (all) => {
      let deployment = aDeployment({ generation: 2 });
      for (const [index, each] of all.entries()) {
        const now = 2_000 + index;
        const next = withStatus(deployment, each, now);
        if (next !== deployment) checkStep(deployment, next, now);
        const { status = {}, ...own } = each;
        assert.deepEqual({ ...next, ...own }, next, 'nothing of it is lost');
        assert.deepEqual({ trouble: undefined, ...next.status, ...status }, { trouble: undefined, ...next.status });
        assert.equal(withStatus(next, each, now + 9), next, 'what is told twice changes nothing');
        deployment = next;
      }
    }),
    { numRuns: 500 },
  );
});

test('what no condition shows is a change all the same', () => {
  const placement = { kind: 'sure', retained: [], missing: [], held: [] } as const;
  const before = withStatus(aDeployment(), { status: { placement: { ...placement, excluded: [] } } }, 2_000);
  const excluded = [{ id: held.id, why: 'Cordoned', message: 'is cordoned' }] as const;
  const after = withStatus(before, { status: { placement: { ...placement, excluded } } }, 3_000);
  assert.deepEqual(after.status.placement.excluded, excluded);
  assert.equal(after.version, before.version + 1);
});

test('a clock that was set back makes no change look older than the one before it', () => {
  const next = withStatus(aDeployment({ updateTime: 5_000 }), { revision: 1 }, 10);
  assert.equal(next.updateTime, 5_000);
});

function checkStep(before: Deployment, after: Deployment, now: number): void {
  assert.equal(after.version, before.version + 1);
  assert.equal(after.updateTime, now);
  assert.deepEqual(after.spec, before.spec);
  assert.deepEqual(
    after.status.conditions.map(({ type }) => type),
    [...CONDITION_TYPES],
  );
  for (const condition of after.status.conditions) {
    const { type, status, reason, lastTransitionTime, observedGeneration } = condition;
    assert.ok((CONDITION_REASONS[type] as readonly string[]).includes(reason), `${type} has no reason ${reason}`);
    assert.equal(observedGeneration, after.observedGeneration);
    const last = before.status.conditions.find((each) => each.type === type);
    assert.equal(lastTransitionTime, last?.status === status ? last.lastTransitionTime : now, type);
  }
}
