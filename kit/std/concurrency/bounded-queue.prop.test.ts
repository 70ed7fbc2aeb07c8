import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { BoundedQueue, type WhenFull } from './bounded-queue.ts';

const CAPACITY = 2;

type Step = { readonly kind: 'push' | 'take' } | { readonly kind: 'abort'; readonly nth: number };

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('push' as const, 'take' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const), nth: fc.nat({ max: 9 }) }) },
  ),
  { maxLength: 40 },
);

/** Runs the steps; returns the accepted items and the taken items, each in order. */
async function play(whenFull: WhenFull, script: readonly Step[]) {
  const queue = new BoundedQueue<number>({ capacity: CAPACITY, whenFull });
  const stops: AbortController[] = [];
  const accepted: number[] = [];
  const taken: number[] = [];
  const under: Promise<unknown>[] = [];
  let item = 0;
  for (const step of script) {
    if (step.kind === 'abort') {
      stops[step.nth]?.abort();
      await turn();
      continue;
    }
    const stop = new AbortController();
    stops.push(stop);
    const pushed = item++;
    const call =
      step.kind === 'push'
        ? queue.push(pushed, stop.signal).then(() => accepted.push(pushed))
        : queue.take(stop.signal).then((got) => got !== undefined && taken.push(got));
    under.push(call.catch(() => undefined));
    await turn();
    assert.ok(queue.size <= CAPACITY);
  }
  const left = queue.size;
  for (const stop of stops) stop.abort();
  await Promise.all(under);
  assert.equal(queue.waiting, 0, 'nothing waits once all was aborted');
  return { accepted, taken, left, dropped: queue.dropped };
}

test('safety: what blocks hands over exactly what it accepted, in order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const { accepted, taken, left, dropped } = await play('block', script);
      assert.deepEqual(taken, accepted.slice(0, taken.length));
      assert.equal(taken.length + left, accepted.length);
      assert.equal(dropped, 0);
    }),
    { numRuns: 60 },
  );
});

test('safety: what drops accounts for every item, and never repeats or reorders one', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const { accepted, taken, left, dropped } = await play('drop-oldest', script);
      assert.equal(taken.length + left + dropped, accepted.length);
      assert.deepEqual(
        taken,
        [...new Set(taken)].sort((a, b) => a - b),
      );
    }),
    { numRuns: 60 },
  );
});
