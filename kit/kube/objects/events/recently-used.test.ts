import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentlyUsed } from './recently-used.ts';

test('what was not asked for the longest is forgotten', () => {
  const recent = new RecentlyUsed<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  assert.equal(recent.get('a'), 1);
  recent.set('c', 3);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => recent.get(key)),
    [1, undefined, 3],
  );
});
