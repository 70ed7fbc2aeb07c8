import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastUsed } from './last-used.ts';

test('a use is noted once a minute, and what could not be written is not lost', () => {
  const used = new LastUsed();
  used.touch('a', 1_000, 60_999);
  assert.equal(used.take().size, 0, 'the stored time is recent enough');
  used.touch('a', 1_000, 61_000);
  used.touch('a', 1_000, 90_000);
  used.touch('b', undefined, 90_000);
  const taken = used.take();
  assert.deepEqual(
    [...taken],
    [
      ['a', 61_000],
      ['b', 90_000],
    ],
  );
  assert.equal(used.take().size, 0);
  used.touch('a', 1_000, 130_000);
  used.giveBack(taken);
  assert.deepEqual(
    [...used.take()],
    [
      ['a', 130_000],
      ['b', 90_000],
    ],
    'the newer time counts',
  );
  assert.equal(used.latest('a'), 130_000);
});
