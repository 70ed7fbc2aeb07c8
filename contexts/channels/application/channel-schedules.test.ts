import { test } from 'node:test';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { soak } from './channel-schedules.soak.ts';

test('whatever happens to its streams, a channel loses nothing, repeats nothing and keeps its bounds', async (t) => {
  await soak.run(quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
});
