import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Soak } from '#testing/soak';
import { MemoryStorage } from '../../../../kit/storage/testing/memory-storage.ts';
import { PIPELINE_MODULES } from '../../testing/pipeline/pipeline-run.ts';
import { schedule } from '../../testing/pipeline/schedule.ts';
import { simulate } from '../../testing/pipeline/simulation.ts';

/** Pipelines on a simulated clock and SQLite in memory. fast-check finds the smallest schedule that breaks a promise. */
export const soak: Soak = {
  description:
    'simulated pipelines that crash at any step: the last requested state, gates, budgets, nothing unchanged sent again',
  defaultCount: 20_000,
  async run({ count, seed, signal, progress }) {
    const storage = new MemoryStorage(PIPELINE_MODULES);
    let done = 0;
    const property = fc.asyncProperty(schedule, async (each) => {
      storage.clear();
      assert.deepEqual(await simulate(each, storage, signal), []);
      done += 1;
      progress(Math.min(done, count));
    });
    try {
      await fc.assert(property, { numRuns: count, seed });
    } finally {
      await storage.close();
    }
  },
};
