import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlacementView } from '../target-view.ts';
import { resolvePlacement } from './resolve-placement.ts';
import type { ScoredPlacement } from './scored-spec.ts';
import { contextOf, excludedBy, idOf, idsOf, placedBy, scoresOf, viewOf } from './testing/view-of.ts';

const reported = { type: 'reported', score: 'speed', weight: 1 } as const;
const scored = (more: Partial<ScoredPlacement> = {}): ScoredPlacement => ({
  type: 'scored',
  top: 2,
  weights: [reported],
  hysteresis: 10,
  ...more,
});
const pool = ['a', 'b', 'c', 'd'].map((name) => viewOf(name));
const cordoned = (view: PlacementView): PlacementView => ({ ...view, lifecycle: 'Cordoned' });

describe('a scored placement', () => {
  const rows = [
    { why: 'takes the best', values: { a: 1, b: 4, c: 2, d: 3 }, had: [], placed: ['b', 'd'] },
    { why: 'takes equal ones by name', values: { d: 1, c: 1, b: 1, a: 1 }, had: [], placed: ['a', 'b'] },
    {
      why: 'keeps equal ones that are placed',
      values: { a: 1, b: 1, c: 1, d: 1 },
      had: ['c', 'd'],
      placed: ['c', 'd'],
    },
    {
      why: 'moves one for more than the hysteresis',
      values: { a: 11, b: 0, c: 1, d: 0 },
      had: ['c', 'd'],
      placed: ['c', 'a'],
    },
    {
      why: 'moves nothing for just the hysteresis',
      values: { a: 10, b: 10, c: 0, d: 0 },
      had: ['c', 'd'],
      placed: ['c', 'd'],
    },
    { why: 'takes fewer when there are no more', values: { a: 1 }, had: [], placed: ['a'] },
    { why: 'takes no new one whose score is not known', values: { a: 1, b: 2 }, had: [], placed: ['a', 'b'] },
    { why: 'keeps one whose score is not known', values: { a: 99, b: 98, c: 80 }, had: ['d', 'c'], placed: ['a', 'd'] },
    { why: 'empties nothing when nobody reports any more', values: {}, had: ['c', 'd'], placed: ['c', 'd'] },
    {
      why: 'believes no score beyond the scale',
      values: { a: 1e9, b: Number.NaN, c: 1, d: 2 },
      had: [],
      placed: ['c', 'd'],
    },
  ] as const;
  for (const { why, values, had, placed } of rows) {
    it(why, () => {
      const context = contextOf({ previous: idsOf(...had), scores: scoresOf('speed', values) });
      assert.deepEqual(placedBy(resolvePlacement([scored()], pool, context)), [...placed].sort());
    });
  }

  it('says who is outscored and who is not known', () => {
    const context = contextOf({ previous: idsOf('c'), scores: scoresOf('speed', { a: 50, b: 50, c: 1 }) });
    assert.deepEqual(excludedBy(resolvePlacement([scored()], pool, context)), ['c: Outscored', 'd: ScoreUnknown']);
  });

  it('believes a report as long as it says', () => {
    const scores = scoresOf('speed', { a: 9, b: 8 }, 1_000);
    const at = (now: number) =>
      placedBy(resolvePlacement([scored({ maxScoreAge: '5s' })], pool, contextOf({ scores, now })));
    assert.deepEqual([at(6_000), at(6_001)], [['a', 'b'], []]);
  });

  it('keeps more than the best when it cannot tell which to drop', () => {
    const context = contextOf({ previous: idsOf('a', 'b', 'c') });
    const resolution = resolvePlacement([scored({ top: 1 })], pool, context);
    assert.deepEqual(placedBy(resolution), ['a', 'b', 'c']);
    assert.deepEqual(resolution.kind === 'sure' && resolution.retained.map(({ id, why }) => [id, why]), [
      [idOf('a'), 'ScoreUnknown'],
      [idOf('b'), 'ScoreUnknown'],
      [idOf('c'), 'ScoreUnknown'],
    ]);
  });

  it('keeps a cordoned one whoever is better, and counts it', () => {
    const context = contextOf({ previous: idsOf('a', 'b'), scores: scoresOf('speed', { a: 0, b: 50, c: 90, d: 80 }) });
    const withCordoned = pool.map((view) => (view.name === 'a' ? cordoned(view) : view));
    assert.deepEqual(placedBy(resolvePlacement([scored()], withCordoned, context)), ['a', 'c']);
  });

  it('sums by weight', () => {
    const weights = [
      { ...reported, weight: -2 },
      { type: 'load', weight: 3 },
    ] as const;
    const loads = new Map([[idOf('a'), 5]]);
    const context = contextOf({ scores: scoresOf('speed', { a: 1, b: 8, c: 9, d: 10 }), loads });
    // a: -2 - 15 = -17, b: -16, c: -18, d: -20.
    assert.deepEqual(placedBy(resolvePlacement([scored({ weights })], pool, context)), ['a', 'b']);
    assert.deepEqual(placedBy(resolvePlacement([scored({ weights, top: 1 })], pool, context)), ['b']);
  });

  it('spreads by a label, and lets a much better one stand in a crowd', () => {
    const zoned = [
      ...['a', 'b', 'c'].map((name) => viewOf(name, { labels: { zone: 'one' } })),
      viewOf('d', { labels: { zone: 'two' } }),
      viewOf('e'),
    ];
    const scores = scoresOf('speed', { a: 50, b: 49, c: 48, d: 10, e: 9 });
    const place = (weight: number) => {
      const weights = [reported, { type: 'spread', label: 'zone', weight }] as const;
      return placedBy(resolvePlacement([scored({ weights, top: 3 })], zoned, contextOf({ scores })));
    };
    assert.deepEqual(place(1), ['a', 'b', 'c']);
    assert.deepEqual(place(25), ['a', 'b', 'd']);
    assert.deepEqual(place(100), ['a', 'd', 'e']);
  });

  it('counts who is kept in doubt among the neighbours', () => {
    const zoned = [viewOf('a', { labels: { zone: 'one' } }), viewOf('b', { labels: { zone: 'one' } }), viewOf('c')];
    const weights = [reported, { type: 'spread', label: 'zone', weight: 5 }] as const;
    const context = contextOf({ previous: idsOf('a'), scores: scoresOf('speed', { b: 12, c: 10 }) });
    assert.deepEqual(placedBy(resolvePlacement([scored({ weights })], zoned, context)), ['a', 'c']);
  });

  it('takes equal ones of different crowds by name too', () => {
    const zones = { a: 'one', b: 'two', d: 'one' };
    const zoned = Object.entries(zones).map(([name, zone]) => viewOf(name, { labels: { zone } }));
    const weights = [reported, { type: 'spread', label: 'zone', weight: 5 }] as const;
    const context = contextOf({ scores: scoresOf('speed', { a: 20, b: 10, d: 15 }) });
    assert.deepEqual(placedBy(resolvePlacement([scored({ weights })], zoned, context)), ['a', 'b']);
  });

  it('chooses only from those that fit, and lists the others whatever they score', () => {
    const mixed = pool.map((view) => ({ ...view, type: 'ad'.includes(view.name) ? 'directory' : 'kubernetes' }));
    const scores = scoresOf('speed', { a: 9, b: 3, c: 2 });
    const resolution = resolvePlacement(
      [scored()],
      mixed,
      contextOf({ scores, fits: { targetTypes: ['kubernetes'] } }),
    );
    assert.deepEqual(placedBy(resolution), ['b', 'c']);
    assert.deepEqual(excludedBy(resolution), ['a: UnfitTargetType', 'd: UnfitTargetType']);
  });
});
