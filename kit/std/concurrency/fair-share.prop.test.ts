import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FairShare } from './fair-share.ts';

describe('a fair share', () => {
  it('lets a newcomer in, and takes from the one that has most', () => {
    const share = new FairShare<string>({ total: 4, each: 4 });
    for (const item of ['a1', 'a2', 'a3', 'a4']) assert.equal(share.add('a', item), undefined);
    assert.equal(share.add('b', 'b1'), 'a1');
    assert.equal(share.add('b', 'b2'), 'a2');
    assert.equal(share.add('b', 'b3'), 'b3', 'two and two are even');
    assert.equal(share.add('a', 'a5'), 'a5');
    assert.equal(share.add('c', 'c1'), 'a3');
  });

  it('gives every key its first, the longest there goes', () => {
    const share = new FairShare<string>({ total: 2, each: 2 });
    share.add('a', 'a1');
    share.add('b', 'b1');
    assert.equal(share.add('c', 'c1'), 'a1');
    assert.equal(share.add('a', 'a2'), 'b1');
  });

  it('holds its limits, whatever comes and goes, and never refuses a key that has nothing', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const step = fc.record({ key, isAdded: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 6 }), (steps, each) => {
        const total = 8;
        const share = new FairShare<string>({ total, each });
        const held = new Map<string, string[]>();
        for (const [nth, { key: of, isAdded }] of steps.entries()) {
          const own = held.get(of) ?? [];
          held.set(of, own);
          if (isAdded) {
            const item = `${of}${nth}`;
            const out = share.add(of, item);
            assert.ok(own.length > 0 || out !== item);
            if (out !== item) own.push(item);
            const loser = out === undefined || out === item ? undefined : held.get(out.slice(0, 1));
            if (loser !== undefined) assert.equal(loser.shift(), out, 'the oldest of its key');
          } else {
            const item = own.shift();
            if (item !== undefined) assert.equal(share.delete(of, item), true);
          }
          const counts = [...held.values()].map(({ length }) => length);
          assert.equal(
            share.size,
            counts.reduce((sum, count) => sum + count, 0),
          );
          assert.ok(share.size <= total && Math.max(0, ...counts) <= each);
          for (const [name, items] of held) assert.equal(share.count(name), items.length);
        }
      }),
    );
  });
});
