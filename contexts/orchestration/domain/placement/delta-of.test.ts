import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeltaOptions, deltaOf, deltaOfDeletion, membersAfter, removalLimit } from './delta-of.ts';
import { EXCLUSION_REASONS, type ExclusionReason } from './exclusion.ts';
import type { TargetCause } from './removal-cause.ts';
import { type Resolution, resolvePlacement } from './resolve-placement.ts';
import { contextOf, idOf, idsOf, viewOf } from './testing/view-of.ts';

const NONE: DeltaOptions['causes'] = { specPatch: false, targets: new Map() };
const PATCHED: DeltaOptions['causes'] = { specPatch: true, targets: new Map() };

function onRecord(...causes: readonly (TargetCause | 'specPatch')[]): DeltaOptions['causes'] {
  const own = causes.filter((cause) => cause !== 'specPatch');
  return { specPatch: causes.includes('specPatch'), targets: new Map([[idOf('a'), own]]) };
}

function leavesOut(why: ExclusionReason, ...names: readonly string[]): Resolution {
  const excluded = names.map((name) => ({ id: idOf(name), why, message: 'for a test' }));
  return { kind: 'sure', targets: [], excluded, retained: [], missing: [] };
}

describe('a delta', () => {
  it('says who comes, who goes and who stays, in order', () => {
    const resolution = resolvePlacement(
      [{ type: 'selector', matchLabels: { on: 'yes' } }],
      ['d', 'b', 'c', 'a'].map((name) => viewOf(name, { labels: { on: name === 'a' ? 'no' : 'yes' } })),
      contextOf({ previous: idsOf('a', 'b') }),
    );
    assert.deepEqual(deltaOf(idsOf('b', 'a'), resolution, { causes: onRecord('relabel') }), {
      added: [idOf('c'), idOf('d')],
      removed: [{ id: idOf('a'), cause: 'relabel' }],
      unchanged: [idOf('b')],
      held: [],
      waiting: [],
    });
  });

  it('of doubt is none', () => {
    const options = { causes: PATCHED, confirmed: idsOf('a', 'b') };
    assert.deepEqual(deltaOf(idsOf('b', 'a'), { kind: 'unsure', why: 'not synced' }, options), {
      added: [],
      removed: [],
      unchanged: [idOf('a'), idOf('b')],
      held: [],
      waiting: [],
    });
  });

  it('never forgets targets when labels change so that none match', () => {
    const pool = ['a', 'b', 'c'].map((name) => viewOf(name));
    const previous = idsOf('a', 'b', 'c');
    const resolution = resolvePlacement(
      [{ type: 'selector', matchLabels: { on: 'yes' } }],
      pool,
      contextOf({ previous }),
    );
    const delta = deltaOf(previous, resolution, { causes: NONE });
    assert.deepEqual([delta.removed, membersAfter(delta)], [[], [...previous]]);
  });

  it('holds whom a resolution says nothing of', () => {
    const resolution: Resolution = { kind: 'sure', targets: [], excluded: [], retained: [], missing: [] };
    assert.deepEqual(deltaOf(idsOf('a'), resolution, { causes: onRecord('specPatch', 'relabel') }).removed, []);
  });

  it('of a deleted deployment takes it from everywhere', () => {
    const { removed, held } = deltaOfDeletion(idsOf('b', 'a'));
    assert.deepEqual([removed.map(({ id }) => id), held], [[idOf('a'), idOf('b')], []]);
  });
});

describe('a removal needs a cause that accounts for it', () => {
  const CAUSES = ['specPatch', 'relabel', 'move', 'deleted', 'cordonAndDelete', 'deprovisioned'] as const;
  const ACCOUNTED: Readonly<Record<ExclusionReason, readonly string[]>> = {
    NotSelected: ['specPatch', 'relabel'],
    UnfitTargetType: ['specPatch'],
    UnfitManifestType: ['specPatch'],
    Gone: ['move', 'deleted', 'cordonAndDelete', 'deprovisioned'],
    Cordoned: [],
    ScoreUnknown: [],
    // Observed by the resolution itself, whatever causes are recorded.
    Outscored: CAUSES,
    Deprovisioning: CAUSES,
  };
  for (const why of EXCLUSION_REASONS) {
    it(`when it is ${why}`, () => {
      const accepted = CAUSES.filter((cause) => {
        const { removed, held } = deltaOf(idsOf('a'), leavesOut(why, 'a'), { causes: onRecord(cause) });
        assert.equal(removed.length + held.length, 1);
        return removed.length === 1;
      });
      assert.deepEqual(accepted, ACCOUNTED[why]);
    });
  }

  for (const { why, cause } of [
    { why: 'Outscored', cause: 'outscored' },
    { why: 'Deprovisioning', cause: 'deprovisioned' },
  ] as const) {
    it(`and ${why} brings its own`, () =>
      assert.deepEqual(deltaOf(idsOf('a'), leavesOut(why, 'a'), { causes: NONE }).removed, [{ id: idOf('a'), cause }]));
  }

  it('of the target itself, not of another one', () => {
    const delta = deltaOf(idsOf('a', 'b'), leavesOut('Gone', 'a', 'b'), { causes: onRecord('deleted') });
    assert.deepEqual(delta.removed, [{ id: idOf('a'), cause: 'deleted' }]);
    assert.deepEqual(
      delta.held.map(({ id, why }) => [id, why]),
      [[idOf('b'), 'NoCause']],
    );
  });

  it('or a person who confirms it', () => {
    const options = { causes: NONE, confirmed: idsOf('a') };
    assert.deepEqual(deltaOf(idsOf('a'), leavesOut('Gone', 'a'), options).removed, [
      { id: idOf('a'), cause: 'confirmed' },
    ]);
  });
});

describe('a bound', () => {
  const message = 'for a test';
  const moves = (leaving: readonly string[], best: readonly string[], most = 2): Resolution => ({
    kind: 'sure',
    targets: best.map(idOf).sort(),
    excluded: leaving.map((name) => ({ id: idOf(name), why: 'Outscored', message })),
    retained: [],
    missing: [],
    bound: { most, best: best.map(idOf) },
  });
  const partsOf = (previous: readonly string[], resolution: Resolution, more: Partial<DeltaOptions> = {}) => {
    const { added, removed, held, waiting } = deltaOf(idsOf(...previous), resolution, { causes: NONE, ...more });
    const names = (ids: readonly string[]) => ids.map((id) => id.slice('id-'.length)).join('');
    return [
      names(added),
      names(removed.map(({ id }) => id)),
      held.map(({ id, why }) => `${names([id])}: ${why}`),
    ].concat([names(waiting.map(({ id }) => id))]);
  };

  for (const { why, previous, resolution, more, want } of [
    {
      why: 'adds nothing to those held',
      previous: 'ab',
      resolution: moves(['a', 'b'], ['c', 'd']),
      more: {},
      want: ['', '', ['a: MaxRemoval', 'b: MaxRemoval'], 'cd'],
    },
    {
      why: 'lets the best take the room of one confirmed',
      previous: 'ab',
      resolution: moves(['a', 'b'], ['d', 'c']),
      more: { confirmed: idsOf('a') },
      want: ['d', 'a', ['b: MaxRemoval'], 'c'],
    },
    {
      why: 'counts the moves that have not ended',
      previous: 'ab',
      resolution: moves(['a'], ['b', 'c']),
      more: { leaving: idsOf('x') },
      want: ['', '', ['a: MovesUnfinished'], 'c'],
    },
    {
      why: 'counts none that comes back, which goes first',
      previous: 'ab',
      resolution: moves(['a'], ['c', 'x']),
      more: { leaving: idsOf('x') },
      want: ['x', 'a', ['b: NoCause'], 'c'],
    },
    {
      why: 'allows no more moves because a rollout has both ends of one',
      previous: 'ab',
      resolution: moves(['a', 'b'], ['c'], 1),
      more: { maxRemoval: '100%' },
      want: ['', '', ['a: MaxRemoval', 'b: MaxRemoval'], 'c'],
    },
    {
      why: 'is none of a removal with another cause',
      previous: 'ab',
      resolution: { ...leavesOut('NotSelected', 'a'), targets: [idOf('b')] } as Resolution,
      more: { leaving: idsOf('x'), causes: onRecord('relabel') },
      want: ['', 'a', [], ''],
    },
  ]) {
    it(why, () => assert.deepEqual(partsOf([...previous], resolution, more), want));
  }
});

describe('maxRemoval', () => {
  const names = Array.from({ length: 20 }, (_, index) => `t${String(index).padStart(2, '0')}`);
  const previous = idsOf(...names);
  const removedOf = (count: number, more: Partial<DeltaOptions> = {}) =>
    deltaOf(previous, leavesOut('NotSelected', ...names.slice(0, count)), { causes: PATCHED, ...more }).removed.length;

  for (const { why, count, more, removed } of [
    { why: 'lets a tenth go unless told', count: 2, more: {}, removed: 2 },
    { why: 'stops all of them when there are more, not only the rest', count: 3, more: {}, removed: 0 },
    { why: 'is a number', count: 5, more: { maxRemoval: 5 }, removed: 5 },
    { why: 'is a share', count: 6, more: { maxRemoval: '25%' }, removed: 0 },
    { why: 'stops every one at 0', count: 1, more: { maxRemoval: 0 }, removed: 0 },
    { why: 'stops none at 100%', count: 20, more: { maxRemoval: '100%' }, removed: 20 },
    { why: 'lets those go that a person confirmed', count: 3, more: { confirmed: idsOf('t00', 't01') }, removed: 2 },
  ]) {
    it(why, () => assert.equal(removedOf(count, more), removed));
  }

  for (const { why, unselected, removed } of [
    { why: 'lets targets go that are not there any more, however many', unselected: 0, removed: 5 },
    { why: 'does not count them with the others', unselected: 2, removed: 7 },
    { why: 'does not hold them with the others', unselected: 3, removed: 5 },
  ]) {
    it(why, () => {
      const deleted = leavesOut('Gone', ...names.slice(0, 5));
      const rest = leavesOut('NotSelected', ...names.slice(5, 5 + unselected));
      assert.ok(deleted.kind === 'sure' && rest.kind === 'sure');
      const kept = names.slice(5 + unselected).map(idOf);
      const resolution = { ...deleted, targets: kept, excluded: [...deleted.excluded, ...rest.excluded] };
      const targets = new Map(names.slice(0, 5).map((name) => [idOf(name), ['deleted'] as const]));
      const delta = deltaOf(previous, resolution, { causes: { specPatch: true, targets } });
      assert.equal(delta.removed.length, removed);
    });
  }

  it('names itself', () => {
    const { held } = deltaOf(previous, leavesOut('NotSelected', ...names), { causes: PATCHED });
    assert.deepEqual([...new Set(held.map(({ why }) => why))], ['MaxRemoval']);
  });

  for (const { why, max, size, limit } of [
    { why: 'a share of the smallest set is one', max: '10%', size: 1, limit: 1 },
    { why: 'a share is never rounded up', max: '10%', size: 29, limit: 2 },
    { why: 'no share is none', max: '0%', size: 50, limit: 0 },
    { why: 'a number is that number', max: 3, size: 1, limit: 3 },
  ]) {
    it(why, () => assert.equal(removalLimit(max, size), limit));
  }
});
