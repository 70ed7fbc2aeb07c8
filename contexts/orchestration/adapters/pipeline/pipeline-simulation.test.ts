import assert from 'node:assert/strict';
import { it, test } from 'node:test';
import fc from 'fast-check';
import { eachDatabase } from '#testing/databases';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { PIPELINE_MODULES } from '../../testing/pipeline/pipeline-run.ts';
import { schedule } from '../../testing/pipeline/schedule.ts';
import { simulate } from '../../testing/pipeline/simulation.ts';
import { soak } from './pipeline-simulation.soak.ts';

test('wherever it crashes, a pipeline reaches the last requested state, keeps every gate and repeats nothing', async (t) => {
  await soak.run(quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
});

/** The same schedules as on SQLite in memory: real engines put concurrent work in other orders. */
eachDatabase('a pipeline under any schedule', (fresh) => {
  it('reaches the last requested state, keeps every gate and repeats nothing', async (t) => {
    const property = fc.asyncProperty(schedule, async (each) => {
      const database = await fresh();
      try {
        assert.deepEqual(await simulate(each, await database.open(PIPELINE_MODULES), t.signal), []);
      } finally {
        await database.dispose();
      }
    });
    await fc.assert(property, { numRuns: share(100), seed: testSeed() });
  });
});
