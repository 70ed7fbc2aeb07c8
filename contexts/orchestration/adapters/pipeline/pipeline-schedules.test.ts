import { test } from 'node:test';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { soak } from './pipeline-schedules.soak.ts';

test('whatever happens to a pipeline, what was asked for last comes about', async (t) => {
  await soak.run(quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
});
