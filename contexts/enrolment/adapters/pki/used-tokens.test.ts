import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { UsedTokens } from './used-tokens.ts';

test('a token is taken once, for as long as it would be taken again', async () => {
  const clock = new FakeClock(1_000);
  const used = new UsedTokens(clock);
  assert.equal(used.take('a', 2_000), true);
  assert.equal(used.take('a', 9_000), false, 'another end does not make it another one');
  assert.equal(used.take('b', 2_000), true);
  await clock.advance(999);
  assert.equal(used.take('a', 2_000), false);
  await clock.advance(1);
  assert.equal(used.take('a', 3_000), true, 'no one would take the first any more');
});

test('the oldest go first when there are too many', () => {
  const used = new UsedTokens(new FakeClock(0));
  for (let count = 0; count <= 100_000; count += 1) used.take(`t${count}`, 1_000);
  assert.equal(used.take('t100000', 1_000), false, 'the newest is known');
  assert.equal(used.take('t1', 1_000), false, 'and all but one');
  assert.equal(used.take('t0', 1_000), true, 'the first was forgotten');
});
