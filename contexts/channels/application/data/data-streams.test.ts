import { test } from 'node:test';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { soak } from './data-streams.soak.ts';

test('a direct data stream that fails at a random byte goes on over the relay, and its hash is right', async (t) => {
  await soak.run(quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
});
