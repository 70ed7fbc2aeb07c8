import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CoalescingQueue } from './coalescing-queue.ts';
import { unlessAborted } from './unless-aborted.ts';

test('of each key the latest value is delivered, once the receiver accepts', async () => {
  const queue = new CoalescingQueue<string>();
  queue.put('a', 'old');
  queue.put('b', 'only');
  queue.put('a', 'new');
  const over = new AbortController();
  const delivered: string[] = [];
  let isAway = true;
  const deliver = async (all: readonly string[]): Promise<void> => {
    if (isAway) throw new Error('no receiver');
    delivered.push(...all);
    over.abort();
  };
  const onFailure = async (): Promise<void> => {
    isAway = false;
  };
  await queue.run({ deliver, onFailure }, over.signal);
  assert.deepEqual(delivered, ['only', 'new']);
});

test('a value put during a delivery is delivered next', async () => {
  const queue = new CoalescingQueue<string>();
  queue.put('a', 'first');
  const over = new AbortController();
  const delivered: string[] = [];
  const deliver = async (all: readonly string[]): Promise<void> => {
    delivered.push(...all);
    if (delivered.length === 1) queue.put('a', 'second');
    else over.abort();
  };
  await queue.run({ deliver, onFailure: async () => {} }, over.signal);
  assert.deepEqual(delivered, ['first', 'second']);
});

for (const { what, comes, wanted } of [
  { what: 'waits for the value that belongs to it', comes: 'well', wanted: [['applied', 'well']] },
  { what: 'waits for it only so long', comes: undefined, wanted: [['applied']] },
]) {
  test(`an incomplete batch ${what}`, async () => {
    const queue = new CoalescingQueue<string>();
    const over = new AbortController();
    const delivered: (readonly string[])[] = [];
    const deliver = async (all: readonly string[]): Promise<void> => {
      delivered.push(all);
      over.abort();
    };
    const sleep = async (_: number, signal: AbortSignal): Promise<void> => {
      if (comes === undefined) return;
      queue.put('b', comes);
      await unlessAborted(new Promise(() => {}), signal);
    };
    const gather = { ms: 5, sleep, isIncomplete: (all: readonly string[]) => !all.includes('well') };
    queue.put('a', 'applied');
    await queue.run({ deliver, gather, onFailure: async () => {} }, over.signal);
    assert.deepEqual(delivered, wanted);
  });
}
