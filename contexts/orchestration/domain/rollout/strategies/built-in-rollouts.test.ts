import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TargetId } from '#protocol/targets';
import { planOf as planByType } from '../../deployment/decide-plan.ts';
import { BUILT_IN_GATES } from '../gates/built-in-gates.ts';
import { type RolloutSpec, type RolloutStrategy, rolloutFaults } from '../rollout-strategy.ts';
import { type FleetTarget, planOf } from '../testing/a-rollout.ts';
import { BUILT_IN_ROLLOUTS } from './built-in-rollouts.ts';
import { immediateRollout } from './immediate-rollout.ts';
import { REST_STAGE } from './staged-rollout.ts';

const selects = (tier: string) => ({ matchLabels: { tier } });
const STAGES = [
  { name: 'canary', selector: selects('canary'), failurePolicy: 'rollback', beforeTasks: [{ type: 'approval' }] },
  { name: 'prod', selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, maxConcurrency: '25%' },
];
const FLEET: readonly FleetTarget[] = [
  { name: 'p1', labels: { tier: 'prod' } },
  { name: 'c2', labels: { tier: 'canary' } },
  { name: 'none' },
  { name: 'c1', labels: { tier: 'canary' }, hasContent: false },
  { name: 'same', labels: { tier: 'canary' }, isUpToDate: true },
  { name: 'gone', labels: { tier: 'prod' }, isRemoved: true },
];

function outline(spec: RolloutSpec, fleet = FLEET): unknown {
  return planOf(spec, fleet).steps.map(({ name, remove, deliver }) => [name, remove, deliver]);
}

for (const { why, spec, want } of [
  {
    why: 'immediate: one step that removes, one that delivers',
    spec: { type: 'immediate' },
    want: [
      ['removal', ['gone'], []],
      ['all', [], ['c1', 'c2', 'none', 'p1']],
    ],
  },
  {
    why: 'rolling: batches in the order of names, those to remove last if so wanted',
    spec: { type: 'rolling', batchSize: 3, removal: { order: 'last' } },
    want: [
      ['batch-1', [], ['c1', 'c2', 'none']],
      ['batch-2', [], ['p1']],
      ['removal', ['gone'], []],
    ],
  },
  {
    why: 'rolling: a percentage is of the resolved set, and at least one',
    spec: { type: 'rolling', batchSize: '40%' },
    want: [
      ['removal', ['gone'], []],
      ['batch-1', [], ['c1', 'c2']],
      ['batch-2', [], ['none', 'p1']],
    ],
  },
  {
    why: 'staged: the first stage that selects a target has it, the rest is visible as the last stage',
    spec: { type: 'staged', stages: STAGES },
    want: [
      ['removal', ['gone'], []],
      ['canary', [], ['c1', 'c2']],
      ['prod', [], ['p1']],
      [REST_STAGE, [], ['none']],
    ],
  },
  {
    why: 'staged: removals with their stage',
    spec: { type: 'staged', stages: STAGES, removal: { order: 'withStage' } },
    want: [
      ['canary', [], ['c1', 'c2']],
      ['prod', ['gone'], ['p1']],
      [REST_STAGE, [], ['none']],
    ],
  },
] as const) {
  test(why, () => {
    assert.deepEqual(outline(spec), want);
    assert.deepEqual(planOf(spec, FLEET).current, ['same']);
  });
}

test('a removed target without labels, as it is gone for good, is removed with the rest', () => {
  const strategy = BUILT_IN_ROLLOUTS.get('staged');
  const spec = { type: 'staged', stages: STAGES, removal: { order: 'withStage' } };
  const removed = ['ghost' as never];
  const input = { delta: { added: [], removed, unchanged: [] }, views: new Map(), upToDate: new Set<never>() };
  assert.deepEqual(strategy?.plan(spec, input).steps.at(-1)?.remove, removed);
});

test('a stage has its own policy and pace, or that of the rollout', () => {
  const { steps } = planOf({ type: 'staged', stages: STAGES, maxConcurrency: 4 }, []);
  assert.deepEqual(
    steps.map(({ failurePolicy, maxConcurrency }) => [failurePolicy, maxConcurrency]),
    [
      ['rollback', 4],
      ['pause', '25%'],
      ['pause', 4],
    ],
  );
});

test('a rollout that an addon brings is checked and planned like those built in', () => {
  const backwards: RolloutStrategy = {
    type: 'backwards',
    faults: (spec, { at }) => (spec['speed'] === 'warp' ? [{ path: `${at}/speed`, message: 'is too fast' }] : []),
    plan: (spec, input) => {
      const plan = immediateRollout.plan({ ...spec, type: 'immediate' }, input);
      return { ...plan, steps: plan.steps.toReversed() };
    },
  };
  const rollouts = new Map([...BUILT_IN_ROLLOUTS, [backwards.type, backwards]]);
  const place = { at: '/rollout', gates: BUILT_IN_GATES };
  assert.deepEqual(
    rolloutFaults({ type: 'backwards', speed: 'warp' }, rollouts, place).map(({ path }) => path),
    ['/rollout/speed'],
  );
  const [added, gone] = ['a' as TargetId, 'gone' as TargetId];
  const membership = { delta: { added: [added], removed: [gone], unchanged: [] } };
  const scene = {
    spec: { type: 'backwards' },
    membership,
    targets: new Map(),
    upToDate: new Set<TargetId>(),
    rollouts,
  };
  assert.deepEqual(
    planByType(scene).steps.map(({ deliver, remove }) => [deliver, remove]),
    [
      [[added], []],
      [[], [gone]],
    ],
  );
});

test('the same delta in another order gives the same plan, and everybody is in it once', () => {
  const target = fc.record({
    tier: fc.constantFrom('canary', 'prod', 'edge'),
    isRemoved: fc.boolean(),
    isUpToDate: fc.boolean(),
  });
  const specs = [{ type: 'immediate' }, { type: 'rolling', batchSize: '30%' }, { type: 'staged', stages: STAGES }];
  const fleets = fc
    .array(target, { maxLength: 12 })
    .map((targets) => targets.map(({ tier, ...own }, index) => ({ ...own, name: `t${index}`, labels: { tier } })));
  const shuffled = fleets.chain((fleet) =>
    fc.tuple(fc.constant(fleet), fc.shuffledSubarray(fleet, { minLength: fleet.length })),
  );
  fc.assert(
    fc.property(shuffled, fc.constantFrom(...specs), ([fleet, mixed], spec) => {
      const plan = planOf(spec, fleet);
      assert.deepEqual(planOf(spec, mixed), plan);
      const all = [...plan.current, ...plan.steps.flatMap(({ remove, deliver }) => [...remove, ...deliver])];
      assert.deepEqual(
        [...all].sort((a, b) => (a < b ? -1 : 1)),
        fleet.map(({ name }) => name).sort((a, b) => (a < b ? -1 : 1)),
      );
    }),
  );
});

for (const { why, spec, paths } of [
  { why: 'an unknown type is a fault, never a default', spec: { type: 'instant' }, paths: ['/rollout/type'] },
  {
    why: 'everything that is wrong is told at once',
    spec: {
      type: 'rolling',
      batchSize: 0,
      maxUnavailable: '101%',
      progressDeadline: 'soon',
      offlinePolicy: 'hope' as never,
    },
    paths: ['/rollout/maxUnavailable', '/rollout/progressDeadline', '/rollout/offlinePolicy', '/rollout/batchSize'],
  },
  {
    why: 'a stage is looked into, with its gates',
    spec: {
      type: 'staged',
      stages: [
        {
          name: 'rest',
          selector: { matchExpressions: [{ key: 'x', operator: 'In' }] },
          beforeTasks: [{ type: 'prayer' }],
        },
        { name: 'a', selector: {}, afterTasks: [{ type: 'wait', duration: 'a while' }], failurePolicy: 'cry' },
        { name: 'a', selector: {}, maxConcurrency: '0%' },
      ],
    },
    paths: [
      '/rollout/stages/0/selector/matchExpressions/0/values',
      '/rollout/stages/0/beforeTasks/0/type',
      '/rollout/stages/0/name',
      '/rollout/stages/1/afterTasks/0/duration',
      '/rollout/stages/1/failurePolicy',
      '/rollout/stages/2/maxConcurrency',
      '/rollout/stages/2/name',
    ],
  },
  {
    why: 'only stages can have removals with them, and then the stage says how',
    spec: { type: 'rolling', batchSize: 1, removal: { order: 'withStage', maxConcurrency: 1 } },
    paths: ['/rollout/removal/order', '/rollout/removal/maxConcurrency'],
  },
  { why: 'nothing is wrong', spec: { type: 'staged', stages: STAGES, removal: { order: 'withStage' } }, paths: [] },
]) {
  test(why, () => {
    const faults = rolloutFaults(spec, BUILT_IN_ROLLOUTS, { at: '/rollout', gates: BUILT_IN_GATES });
    assert.deepEqual(
      faults.map(({ path }) => path),
      paths,
    );
  });
}
