import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yieldIfLong } from './yield-if-long.ts';

test('long work lets the process get its other work done between two pieces', async () => {
  let isDone = false;
  setImmediate(() => (isDone = true));
  await yieldIfLong();
  for (const end = performance.now() + 20; performance.now() < end; );
  await yieldIfLong();
  assert.equal(isDone, true);
});
