import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom, share } from './seeded.ts';

describe('seededRandom', () => {
  it('draws the same numbers for the same seed, today and in a year', () => {
    const random = seededRandom(7);
    const drawn = Array.from({ length: 4 }, () => random.integer(0, 999_999));
    assert.deepEqual(drawn, [893_695, 980_390, 186_605, 383_741]);
  });

  it('draws other numbers for a neighbouring seed, small or beyond 32 bits', () => {
    for (const seed of [0, 7, 2 ** 32, 2 ** 40]) {
      assert.notEqual(seededRandom(seed).next(), seededRandom(seed + 1).next());
    }
  });

  it('reaches both ends of a range, evenly enough', () => {
    const random = seededRandom(1);
    const counts = [0, 0, 0, 0, 0, 0];
    for (let draw = 0; draw < 6000; draw += 1) {
      const face = random.integer(0, 5);
      counts[face] = (counts[face] ?? 0) + 1;
    }
    for (const count of counts) assert.ok(count > 850 && count < 1150, `a die fell as ${counts.join(', ')}`);
  });

  it('shuffles without losing or doubling anything', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const shuffled = seededRandom(3).shuffled(items);
    assert.notDeepEqual(shuffled, items);
    assert.deepEqual(
      shuffled.toSorted((left, right) => left - right),
      items,
    );
  });

  it('picks from what there is, and refuses to pick from nothing', () => {
    assert.equal(seededRandom(1).pick(['only']), 'only');
    assert.throws(() => seededRandom(1).pick([]), RangeError);
  });
});

describe('share', () => {
  for (const { why, count, want } of [
    { why: 'one in twenty', count: 200, want: 10 },
    { why: 'rounded up', count: 201, want: 11 },
    { why: 'never nothing', count: 1, want: 1 },
  ]) {
    it(why, () => assert.equal(share(count, {}), want));
  }

  it('is all of it when asked for', () => assert.equal(share(200, { FLEETSHIFT_TEST_SHARE: '1' }), 200));
});
