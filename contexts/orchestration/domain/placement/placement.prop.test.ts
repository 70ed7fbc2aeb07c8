import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TargetId } from '#protocol/targets';
import { testSeed } from '#testing/seeded';
import type { PlacementView } from '../target-view.ts';
import { deltaOf, membersAfter, removalLimit } from './delta-of.ts';
import { createPlacementRegistry } from './placement-registry.ts';
import type { PlacementSpec, ReportedScores } from './placement-strategy.ts';
import { reachOf, withRefs } from './reach.ts';
import { isVanished, type TargetCause } from './removal-cause.ts';
import { type PlacementContext, resolvePlacement } from './resolve-placement.ts';
import { isReached } from './testing/is-reached.ts';
import { contextOf, idOf, LOCAL, viewOf } from './testing/view-of.ts';

const RUNS = { numRuns: 400, seed: testSeed() };
const NOW = 1_000_000;
const NAMES = Array.from({ length: 8 }, (_, index) => `t${index}`);

/** Always throws. */
const crash = { type: 'crash', chooses: 'each', faults: () => [], choose: crashes } as const;
/** Relies on the order of its pool, which is guaranteed. */
const first = { type: 'first', chooses: 'among', faults: () => [], choose: takesFirst } as const;
const registry = createPlacementRegistry([crash, first]);

function crashes(): never {
  throw new Error('not synced');
}

function takesFirst(_spec: PlacementSpec, [target]: readonly PlacementView[]) {
  return { chosen: target ? [target.id] : [] };
}

const view = (name: string): fc.Arbitrary<PlacementView> =>
  fc
    .record({
      type: fc.constantFrom('kubernetes', 'kubernetes', 'directory'),
      labels: fc.dictionary(fc.constantFrom('zone', 'tier'), fc.constantFrom('a', 'b')),
      manifestTypes: fc.constantFrom([], [], ['yaml'], ['helm']),
      lifecycle: fc.constantFrom('Active' as const, 'Active' as const, 'Cordoned' as const, 'Deprovisioning' as const),
    })
    .map((more) => viewOf(name, more));
const pool = fc.subarray(NAMES).chain((names) => fc.tuple(...names.map(view)));
const ids = fc.subarray(NAMES).map((names): ReadonlySet<TargetId> => new Set(names.map(idOf)));

const selector = fc.record({
  type: fc.constant('selector'),
  matchExpressions: fc.tuple(
    fc.record({
      key: fc.constantFrom('zone', 'tier'),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.constantFrom(['a'], ['b'], ['a', 'b']),
    }),
  ),
});
const weights = fc.subarray(
  [
    { type: 'reported', score: 'speed', weight: 1 },
    { type: 'load', weight: 2 },
    { type: 'spread', label: 'zone', weight: 5 },
  ],
  { minLength: 1 },
);
const spec: fc.Arbitrary<PlacementSpec> = fc.oneof(
  selector,
  fc.constantFrom({ type: 'all' }, { type: 'first' }),
  fc.record({ type: fc.constant('static'), targets: fc.subarray(NAMES) }),
  fc.record({ type: fc.constant('scored'), top: fc.integer({ min: 1, max: 4 }), weights }),
);
const doubtfulSpec = fc.oneof(
  { weight: 4, arbitrary: spec },
  fc.constantFrom({ type: 'crash' }, { type: 'unheard-of' }),
);
const specs = fc.array(spec, { minLength: 1, maxLength: 3 });

/** Some never reported, some too long ago. */
const scores = fc
  .dictionary(
    fc.constantFrom(...NAMES),
    fc.record({ value: fc.integer({ min: -100, max: 100 }), time: fc.constantFrom(NOW, 0) }),
  )
  .map((byName): ReportedScores => {
    return new Map(Object.entries(byName).map(([name, score]) => [idOf(name), new Map([['speed', score]])]));
  });
const context: fc.Arbitrary<PlacementContext> = fc
  .record({
    previous: ids,
    scores,
    fits: fc.constantFrom({}, {}, { targetTypes: ['kubernetes'], manifestTypes: ['yaml'] }),
  })
  .map((more) => contextOf({ ...more, now: NOW, registry }));

const TARGET_CAUSES = ['relabel', 'move', 'deleted', 'cordonAndDelete', 'deprovisioned'] as const;
const causes = fc.record({
  specPatch: fc.boolean(),
  targets: fc
    .dictionary(fc.constantFrom(...NAMES), fc.subarray([...TARGET_CAUSES]))
    .map((byName) => new Map(Object.entries(byName).map(([name, own]) => [idOf(name), own as TargetCause[]]))),
});
const NOTHING_ON_RECORD = { specPatch: false, targets: new Map() };

test('doubt never shrinks: whatever is unsure keeps everyone, and without a cause nobody is removed', () => {
  fc.assert(
    fc.property(fc.array(doubtfulSpec, { maxLength: 3 }), pool, context, (all, those, given) => {
      const resolution = resolvePlacement(all, those, given);
      const delta = deltaOf(given.previous, resolution, { causes: NOTHING_ON_RECORD, maxRemoval: '100%' });
      const members = new Set(membersAfter(delta));
      const lost = [...given.previous].filter((id) => !members.has(id));
      if (resolution.kind === 'unsure') assert.deepEqual(lost, []);
      for (const id of lost) {
        const why = resolution.kind === 'sure' && resolution.excluded.find((exclusion) => exclusion.id === id)?.why;
        assert.ok(why === 'Outscored' || why === 'Deprovisioning', `${id} is lost: ${why}`);
      }
    }),
    RUNS,
  );
});

test('a reporter that is gone takes nobody away', () => {
  fc.assert(
    fc.property(pool, context, fc.integer({ min: 1, max: 4 }), (those, given, top) => {
      const silent = { ...given, scores: new Map(), fits: {} };
      const speed = { type: 'reported', score: 'speed', weight: 1 };
      const resolution = resolvePlacement([{ type: 'scored', top, weights: [speed] }], those, silent);
      const able = those.filter(({ id, lifecycle }) => given.previous.has(id) && lifecycle !== 'Deprovisioning');
      assert.deepEqual(resolution.kind === 'sure' && resolution.targets, able.map(({ id }) => id).sort());
    }),
    RUNS,
  );
});

test('neither the order of the pool nor anything but the placement view makes a difference', () => {
  const shuffled = pool.chain((those) =>
    fc.tuple(fc.constant(those), fc.shuffledSubarray(those, { minLength: those.length })),
  );
  const more = fc.record({
    connection: fc.constantFrom('Connected', 'Disconnected'),
    health: fc.string(),
    lastSeen: fc.nat(),
  });
  fc.assert(
    fc.property(specs, shuffled, more, context, (all, [those, again], unseen, given) => {
      const withMore = again.map((target) => ({ ...target, ...unseen }));
      assert.deepEqual(resolvePlacement(all, withMore, given), resolvePlacement(all, those, given));
    }),
    RUNS,
  );
});

test('what is within reach is resolved as the whole pool is', () => {
  fc.assert(
    fc.property(specs, pool, context, (all, those, given) => {
      const reach = withRefs(reachOf(all, registry), [...given.previous]);
      const read = those.filter((target) => isReached(reach, target));
      assert.deepEqual(resolvePlacement(all, read, given), resolvePlacement(all, those, given));
    }),
    RUNS,
  );
});

test('a list of placements places what each would from what those before it placed', () => {
  fc.assert(
    fc.property(specs, spec, pool, context, (before, last, those, given) => {
      const start = resolvePlacement(before, those, given);
      const whole = resolvePlacement([...before, last], those, given);
      assert.ok(start.kind === 'sure' && whole.kind === 'sure');
      const through = new Set(start.targets);
      const rest = resolvePlacement(
        [last],
        those.filter(({ id }) => through.has(id)),
        given,
      );
      assert.deepEqual(whole.targets, rest.kind === 'sure' && rest.targets);
    }),
    RUNS,
  );
});

test('who is placed may be: in the pool, not the platform itself, fitting, and not cordoned or leaving anew', () => {
  fc.assert(
    fc.property(specs, pool, context, (all, those, given) => {
      const resolution = resolvePlacement(all, [...those, LOCAL], given);
      assert.ok(resolution.kind === 'sure');
      const byId = new Map(those.map((target) => [target.id, target]));
      for (const id of resolution.targets) {
        const target = byId.get(id);
        assert.ok(target && target.lifecycle !== 'Deprovisioning');
        assert.ok(target.lifecycle === 'Active' || given.previous.has(id));
        assert.ok(given.fits?.targetTypes?.includes(target.type) ?? true);
      }
    }),
    RUNS,
  );
});

test('everyone who was placed is placed or has a reason, and nobody both', () => {
  fc.assert(
    fc.property(specs, pool, context, (all, those, given) => {
      const resolution = resolvePlacement(all, those, given);
      assert.ok(resolution.kind === 'sure');
      const excluded = resolution.excluded.map(({ id }) => id);
      assert.equal(new Set(excluded).size, excluded.length);
      for (const id of given.previous) assert.notEqual(resolution.targets.includes(id), excluded.includes(id));
    }),
    RUNS,
  );
});

test('a delta parts who was placed, stays within what may go at once, and is the same again', () => {
  const max = fc.constantFrom(0, 1, 3, '10%', '50%', '100%');
  fc.assert(
    fc.property(
      specs,
      pool,
      context,
      fc.record({ causes, maxRemoval: max, confirmed: ids }),
      (all, those, given, how) => {
        const resolution = resolvePlacement(all, those, given);
        const delta = deltaOf(given.previous, resolution, how);
        const parts = [...delta.removed, ...delta.held].map(({ id }) => id).concat(delta.unchanged);
        assert.deepEqual(parts.sort(), [...given.previous].sort());
        assert.ok(delta.added.every((id) => !given.previous.has(id)));
        const unasked = delta.removed.filter(({ id, cause }) => !isVanished(cause) && !how.confirmed.has(id));
        assert.ok(unasked.length <= removalLimit(how.maxRemoval, given.previous.size));
        assert.deepEqual(deltaOf(given.previous, JSON.parse(JSON.stringify(resolution)), how), delta);
      },
    ),
    RUNS,
  );
});
