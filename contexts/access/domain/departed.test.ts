import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Departed } from './departed.ts';

test('remembers so many, and forgets the oldest first', () => {
  const departed = new Departed(2);
  for (const uid of ['a', 'b', 'b', 'c']) departed.add(uid);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((uid) => departed.has(uid)),
    [false, true, true, false],
  );
});
