import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseResourceName, type Uuid } from '#kit/std';
import type { TargetId } from '#protocol/targets';
import { createPlacementRegistry } from '../placement/placement-registry.ts';
import { resolvePlacement } from '../placement/resolve-placement.ts';
import { BUILT_IN_ROLLOUTS } from '../rollout/strategies/built-in-rollouts.ts';
import { decideMembership, factsOf, isUpToDate, newRow, type PlannedTarget, planOf, unpaced } from './decide-plan.ts';
import { newDeployment } from './deployment-draft.ts';
import type { DeploymentTarget } from './deployment-target.ts';
import { hasContent } from './order-of-target.ts';
import { requestedChange } from './requested-change.ts';
import type { Trigger } from './trigger.ts';

const UID = '00000000-0000-7000-8000-0000000000d1' as Uuid;
const REGISTRY = createPlacementRegistry();
const BLUE = [{ type: 'selector', matchLabels: { colour: 'blue' } }];

interface Case {
  readonly rows: readonly DeploymentTarget[];
  readonly pool: readonly PlannedTarget[];
  readonly triggers: readonly Trigger[];
  readonly isDeleted: boolean;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    targets: fc.array(
      fc.record({
        colour: fc.constantFrom('blue', 'red'),
        isThere: fc.boolean(),
        row: fc.constantFrom('none', 'placed', 'leaving', 'empty'),
        cause: fc.constantFrom('none', 'relabel', 'deleted', 'move'),
        lifecycle: fc.constantFrom('Active' as const, 'Cordoned' as const, 'Deprovisioning' as const),
      }),
      { maxLength: 12 },
    ),
    isPatched: fc.boolean(),
    isConfirmed: fc.boolean(),
    isDeleted: fc.boolean(),
  })
  .map(({ targets, isPatched, isConfirmed, isDeleted }) => {
    const all = targets.map(({ colour, lifecycle }, index): PlannedTarget => {
      const name = `t${index}`;
      const its = { labels: { colour }, lifecycle, manifestTypes: [], isOnline: true };
      return { id: name as TargetId, name, type: 'kubernetes', ...its };
    });
    const rows = targets.flatMap(({ row }, index): DeploymentTarget[] => {
      const target = all[index];
      if (target === undefined || row === 'none') return [];
      const applied = row === 'empty' ? undefined : { revision: 1, hash: 'a' };
      return [{ ...newRow({ uid: UID }, target, 1), applied, isPlaced: row !== 'leaving' }];
    });
    const triggers: Trigger[] = targets.flatMap(({ cause }, index): Trigger[] => {
      const target = `t${index}` as TargetId;
      return cause === 'none' ? [] : [{ kind: 'target', target, causes: [cause] as never }];
    });
    if (isPatched) triggers.push({ kind: 'spec', axes: ['placement'], by: 'ann' });
    if (isConfirmed) triggers.push({ kind: 'confirmRemoval', targets: all.map(({ id }) => id), by: 'ann' });
    return { rows, pool: all.filter((_, index) => targets[index]?.isThere === true), triggers, isDeleted };
  });

function decided({ rows, pool, triggers, isDeleted }: Case) {
  const workspace = { name: parseResourceName('shop'), path: '/root/shop/' };
  const founding = { uid: UID, name: parseResourceName('web'), workspace, owner: undefined, now: 1 };
  const draft = { manifest: { type: 'inline' }, placement: BLUE };
  const { deployment } = newDeployment(draft, { ...founding, fingerprint: (text) => text });
  const previous = new Set(rows.filter(({ isPlaced }) => isPlaced).map(({ target }) => target));
  const resolution = resolvePlacement(BLUE, pool, { registry: REGISTRY, previous, scores: new Map(), now: 1 });
  if (resolution.kind !== 'sure') throw new RangeError('a resolution that is sure');
  const targets = new Map(pool.map((target) => [target.id, target]));
  const requested = requestedChange(triggers);
  const its = isDeleted ? { ...deployment, deletion: { time: 1, by: 'ann' } } : deployment;
  const membership = decideMembership({ deployment: its, requested, rows, resolution, targets, now: 2 });
  return { membership, targets, resolution };
}

test('nobody is forgotten: every row stays, leaves or is dropped, and every newcomer has one', () => {
  fc.assert(
    fc.property(cases, (it) => {
      const { membership } = decided(it);
      const { rows, dropped, delta } = membership;
      for (const { target } of it.rows) assert.ok(rows.has(target) !== dropped.includes(target), target);
      const placed = [...rows.values()].filter(({ isPlaced }) => isPlaced).map(({ target }) => target);
      assert.deepEqual(placed.sort(), [...delta.added, ...delta.unchanged].sort());
      const leaving = [...rows.values()].filter(({ isPlaced }) => !isPlaced).map(({ target }) => target);
      assert.deepEqual(leaving.sort(), [...delta.removed].sort());
    }),
  );
});

test('nobody loses it without a cause on record, and whoever has something is emptied while it is there', () => {
  fc.assert(
    fc.property(cases, (it) => {
      const { membership, targets } = decided(it);
      const caused = new Set(it.triggers.flatMap((each) => (each.kind === 'target' ? each.target : [])));
      const isPatch = it.triggers.some(({ kind }) => kind === 'spec' || kind === 'confirmRemoval');
      for (const row of it.rows) {
        const stays = membership.rows.get(row.target)?.isPlaced === true;
        const isDeprovisioned = targets.get(row.target)?.lifecycle === 'Deprovisioning';
        if (row.isPlaced && !stays) assert.ok(it.isDeleted || isPatch || caused.has(row.target) || isDeprovisioned);
        const isThere = targets.has(row.target) && !isDeprovisioned;
        const causes = it.triggers.flatMap((each) =>
          each.kind === 'target' && each.target === row.target ? each.causes : [],
        );
        if (!stays && isThere && hasContent(row) && !causes.includes('deleted')) {
          assert.ok(membership.rows.has(row.target), row.target);
        }
      }
    }),
  );
});

test('a plan has each of them once, and facts of all', () => {
  fc.assert(
    fc.property(cases, (it) => {
      const { membership, targets } = decided(it);
      for (const spec of [
        { type: 'immediate' },
        { type: 'rolling', batchSize: 2 },
        unpaced({ type: 'rolling', minAvailable: '99%' }),
      ]) {
        const upToDate = new Set(
          [...membership.rows.values()].filter((row) => isUpToDate(row, 'a')).map(({ target }) => target),
        );
        const plan = planOf({ spec, membership, targets, upToDate, rollouts: BUILT_IN_ROLLOUTS });
        const planned = [...plan.steps.flatMap(({ deliver, remove }) => [...deliver, ...remove]), ...plan.current];
        assert.deepEqual(
          planned.sort(),
          factsOf(membership.rows.values())
            .map(({ id }) => id)
            .sort(),
        );
      }
    }),
  );
});
