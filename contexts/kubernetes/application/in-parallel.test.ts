import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inParallel } from './in-parallel.ts';

describe('work in parallel', () => {
  it('is so much at a time, and each once', async () => {
    let [now, most] = [0, 0];
    const done: number[] = [];
    const items = Array.from({ length: 20 }, (_, index) => index);
    await inParallel(items, 3, async (item) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      done.push(item);
    });
    assert.deepEqual([most, done.toSorted((one, two) => one - two)], [3, items]);
  });

  it('begins nothing more after a throw, and waits for what is under way', async () => {
    const begun: number[] = [];
    let isOther = false;
    const working = inParallel([1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      if (item === 1) throw new Error('one');
      await new Promise(setImmediate);
      isOther = true;
    });
    await assert.rejects(working, /one/);
    assert.deepEqual([begun, isOther], [[1, 2], true]);
  });
});
