import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Figure } from '../figure.ts';
import { compareRounds } from './compare-rounds.ts';

const figure = (value: number, more: Partial<Figure> = {}): Figure => ({ name: 'x', unit: 'ms', value, ...more });

function compared(pairs: readonly (readonly [number, number])[], more: Partial<Figure> = {}) {
  return compareRounds(
    pairs.map(([ours, theirs]) => ({ ours: [figure(ours, more)], theirs: [figure(theirs, more)] })),
  )[0];
}

describe('figures beside those of another version', () => {
  for (const { why, pairs, more, ratio, spread, verdict } of [
    {
      why: 'every round is slower',
      pairs: [
        [110, 100],
        [220, 200],
        [120, 100],
      ],
      ratio: 1.2,
      spread: [1.1, 1.2],
      verdict: 'worse',
    },
    {
      why: 'one round is not',
      pairs: [
        [110, 100],
        [104, 100],
        [120, 100],
      ],
      ratio: 1.1,
      spread: [1.04, 1.2],
      verdict: 'no difference',
    },
    {
      why: 'exactly 1.05 is not above it',
      pairs: [[105, 100]],
      ratio: 1.05,
      spread: [1.05, 1.05],
      verdict: 'no difference',
    },
    {
      why: 'every round is faster',
      pairs: [
        [80, 100],
        [90, 100],
      ],
      ratio: 0.85,
      spread: [0.8, 0.9],
      verdict: 'better',
    },
    {
      why: 'a slow machine slows both',
      pairs: [
        [100, 100],
        [500, 500],
      ],
      ratio: 1,
      spread: [1, 1],
      verdict: 'no difference',
    },
    {
      why: 'of a rate, less is worse',
      pairs: [[50, 100]],
      more: { better: 'higher' },
      ratio: 2,
      spread: [2, 2],
      verdict: 'worse',
    },
    {
      why: 'of a rate, more is better',
      pairs: [[200, 100]],
      more: { better: 'higher' },
      ratio: 0.5,
      spread: [0.5, 0.5],
      verdict: 'better',
    },
    { why: 'nothing is as much as nothing', pairs: [[0, 0]], ratio: 1, spread: [1, 1], verdict: 'no difference' },
  ] as const) {
    it(`${verdict}: ${why}`, () => {
      const found = compared(pairs, more);
      assert.deepEqual([found?.ratio, found?.spread, found?.verdict], [ratio, spread, verdict]);
    });
  }

  it('compares by the ratio to the raw part of the same run, where both have one', () => {
    const busy = figure(500, { reference: 100, ratio: 5 });
    const idle = figure(110, { reference: 20, ratio: 5.5 });
    const [found] = compareRounds([{ ours: [busy], theirs: [idle] }]);
    assert.deepEqual([found?.ratio, found?.verdict], [0.9091, 'better']);
  });

  it('does not compare with nothing', () => {
    const found = compared([[3, 0]]);
    assert.deepEqual(found, { name: 'x', unit: 'ms', ours: 3, theirs: 0, verdict: 'not comparable' });
  });

  it('shows what only one of them measures', () => {
    const found = compareRounds([{ ours: [figure(1, { name: 'new' })], theirs: [figure(2, { name: 'old' })] }]);
    assert.deepEqual(found, [
      { name: 'new', unit: 'ms', ours: 1, verdict: 'not comparable' },
      { name: 'old', unit: 'ms', theirs: 2, verdict: 'not comparable' },
    ]);
  });
});
