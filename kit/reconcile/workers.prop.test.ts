import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '#testing/fake-clock';
import { KeyedQueue } from './keyed-queue.ts';
import { PRIORITIES } from './ready-lanes.ts';
import { ReconcileError } from './reconcile-error.ts';
import { BACK_OFF, DONE, type Result, requeueAfter } from './result.ts';
import { createWorkers } from './workers.ts';

const CONCURRENCY = 3;
const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const add = fc.record({
  key,
  priority: fc.constantFrom(...PRIORITIES),
  afterMs: fc.oneof(fc.constant(0), fc.nat(40)),
  /** Time that passes before the next step. */
  pauseMs: fc.nat(15),
});
const end = fc.record({
  ms: fc.nat(30),
  result: fc.constantFrom<(Result | Error)[]>(
    DONE,
    BACK_OFF,
    requeueAfter(7),
    new Error('again'),
    new ReconcileError('TERMINAL', 'never'),
  ),
});

test('in any interleaving: no key twice at once, no more than allowed at once, and each add is seen by a later reconcile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(add, { minLength: 1, maxLength: 40 }),
      fc.array(end, { maxLength: 40 }),
      async (adds, ends) => {
        const clock = new FakeClock(0);
        const queue = new KeyedQueue({ clock, sleep: clock.sleep, random: () => 0.5 });
        const stop = new AbortController();
        const unseen = new Set<string>();
        const underWay = new Set<string>();
        const left = [...ends];
        const workers = createWorkers({
          name: 'workers',
          queue,
          concurrency: CONCURRENCY,
          clock,
          sleep: clock.sleep,
          reconcile: async (it, signal) => {
            assert.ok(!underWay.has(it), `${it} is reconciled twice at once`);
            underWay.add(it);
            assert.ok(underWay.size <= CONCURRENCY);
            unseen.delete(it);
            const { ms, result } = left.shift() ?? { ms: 0, result: DONE };
            try {
              await clock.sleep(ms, signal);
            } finally {
              underWay.delete(it);
            }
            if (result instanceof Error) throw result;
            return result;
          },
        });
        const done = workers.run(stop.signal);
        for (const it of adds) {
          unseen.add(it.key);
          queue.add(it.key, it);
          await clock.advance(it.pauseMs);
        }
        await clock.advance(60_000);
        assert.deepEqual([...unseen], []);
        assert.equal(queue.size, 0, 'all came to rest');
        stop.abort();
        await done;
        assert.equal(clock.sleeping, 0);
      },
    ),
    { numRuns: 200 },
  );
});
