import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { takeTurn } from './take-turn.ts';

const orders = fc.uniqueArray(fc.nat({ max: 50 }), { minLength: 1, maxLength: 8 });

test('each of those who stay has one turn in a round', () => {
  fc.assert(
    fc.property(orders, fc.nat({ max: 60 }), (given, before) => {
      const there = given.map((order) => ({ order }));
      const turns: number[] = [];
      for (let last = before; turns.length < there.length; ) {
        last = takeTurn(there, last)?.order ?? -1;
        turns.push(last);
      }
      assert.deepEqual(
        turns.toSorted((a, b) => a - b),
        given.toSorted((a, b) => a - b),
      );
    }),
  );
});

test('one that leaves does not take the turn of the next', () => {
  const there = [1, 2, 3].map((order) => ({ order }));
  assert.equal(takeTurn(there.slice(1), 1)?.order, 2);
  assert.equal(
    takeTurn(
      there.filter(({ order }) => order !== 2),
      2,
    )?.order,
    3,
  );
  assert.equal(takeTurn([], 1), undefined);
});
