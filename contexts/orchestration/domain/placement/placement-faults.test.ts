import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TargetId } from '#protocol/targets';
import { placementFaults, scoresReadBy } from './placement-faults.ts';
import { createPlacementRegistry } from './placement-registry.ts';
import type { PlacementSpec } from './placement-strategy.ts';
import { LOCAL, viewOf } from './testing/view-of.ts';

const UID = '018f4d6e-7c3a-7b21-9c55-0123456789ab';
const pool = [viewOf('a'), viewOf('b', { id: UID as TargetId }), LOCAL];
const registry = createPlacementRegistry();
const load = { type: 'load', weight: 1 };
const scored = (more: object): PlacementSpec => ({ type: 'scored', top: 1, weights: [load], ...more });

describe('the faults of placements', () => {
  const rows: readonly { why: string; specs: readonly PlacementSpec[]; paths: readonly string[] }[] = [
    { why: 'no placement at all would be everything', specs: [], paths: ['/placement'] },
    { why: 'a type that nobody brings is never a default', specs: [{ type: 'alle' }], paths: ['/placement/0/type'] },
    { why: 'a type that every object inherits is none', specs: [{ type: 'toString' }], paths: ['/placement/0/type'] },
    { why: 'all is all', specs: [{ type: 'all' }], paths: [] },
    { why: 'an empty selector is a slip', specs: [{ type: 'selector', matchLabels: {} }], paths: ['/placement/0'] },
    {
      why: 'a selector is checked within its place in the list',
      specs: [{ type: 'all' }, { type: 'selector', matchExpressions: [{ key: 'a b', operator: 'Exists' }] }],
      paths: ['/placement/1/matchExpressions/0/key'],
    },
    { why: 'targets by name and by uid', specs: [{ type: 'static', targets: ['a', UID] }], paths: [] },
    {
      why: 'a name outside the pool',
      specs: [{ type: 'static', targets: ['a', 'x'] }],
      paths: ['/placement/0/targets/1'],
    },
    { why: 'a name twice', specs: [{ type: 'static', targets: ['a', 'a'] }], paths: ['/placement/0/targets/1'] },
    {
      why: 'the platform itself by its name needs local',
      specs: [{ type: 'static', targets: ['local'] }],
      paths: ['/placement/0/targets/0'],
    },
    { why: 'local alone', specs: [{ type: 'local' }], paths: [] },
    { why: 'local among others', specs: [{ type: 'all' }, { type: 'local' }], paths: ['/placement/1'] },
    { why: 'the least that a scored one needs', specs: [scored({})], paths: [] },
    { why: 'nothing to weigh', specs: [scored({ weights: [] })], paths: ['/placement/0/weights'] },
    { why: 'the best none', specs: [scored({ top: 0 })], paths: ['/placement/0/top'] },
    { why: 'half a target', specs: [scored({ top: 1.5 })], paths: ['/placement/0/top'] },
    { why: 'a hysteresis that pushes', specs: [scored({ hysteresis: -1 })], paths: ['/placement/0/hysteresis'] },
    { why: 'an age that is no duration', specs: [scored({ maxScoreAge: '10' })], paths: ['/placement/0/maxScoreAge'] },
    { why: 'the same weight twice', specs: [scored({ weights: [load, load] })], paths: ['/placement/0/weights/1'] },
    {
      why: 'a weight of a type that nobody knows',
      specs: [scored({ weights: [{ type: 'luck', weight: 1 }] })],
      paths: ['/placement/0/weights/0/type'],
    },
    {
      why: 'a weight that weighs nothing',
      specs: [scored({ weights: [{ type: 'load', weight: 0 }] })],
      paths: ['/placement/0/weights/0/weight'],
    },
    {
      why: 'a score whose name is none',
      specs: [scored({ weights: [{ type: 'reported', score: 'My Score', weight: 1 }] })],
      paths: ['/placement/0/weights/0/score'],
    },
    {
      why: 'a spread that gathers, by a label that is none',
      specs: [scored({ weights: [{ type: 'spread', label: 'a b', weight: -1 }] })],
      paths: ['/placement/0/weights/0/weight', '/placement/0/weights/0/label'],
    },
    {
      why: 'all of them at once',
      specs: [{ type: 'alle' }, { type: 'static', targets: ['x', 'y'] }],
      paths: ['/placement/0/type', '/placement/1/targets/0', '/placement/1/targets/1'],
    },
  ];
  for (const { why, specs, paths } of rows) {
    it(why, () =>
      assert.deepEqual(
        placementFaults(specs, { registry, pool }).map(({ path }) => path),
        paths,
      ),
    );
  }

  it('name the target that is outside the pool', () => {
    const [fault] = placementFaults([{ type: 'static', targets: ['nowhere-1'] }], { registry, pool });
    assert.match(fault?.message ?? '', /nowhere-1/);
  });

  it('do not count a target that has left since', () => {
    assert.deepEqual(placementFaults([{ type: 'static', targets: ['x'] }], { registry }), []);
  });
});

describe('the registry of placements', () => {
  it('takes those of addons', () => {
    const addon = { type: 'nearest', chooses: 'among', faults: () => [], choose: () => ({ chosen: [] }) } as const;
    assert.deepEqual(placementFaults([{ type: 'nearest' }], { registry: createPlacementRegistry([addon]) }), []);
  });

  it('lets nobody take the place of a built-in one', () => {
    const all = registry.get('all');
    assert.ok(all);
    assert.throws(() => createPlacementRegistry([all]), TypeError);
  });

  it('tells which scores make a difference', () => {
    const weights = [load, { type: 'reported', score: 'latency', weight: -1 }];
    assert.deepEqual([...scoresReadBy([{ type: 'all' }, scored({ weights })], registry)], ['latency']);
  });
});
