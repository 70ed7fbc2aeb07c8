import { test } from 'node:test';
import { testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { soak } from './placement-wobble.soak.ts';

// All cases rather than a share of them: they take seconds.
test('scores that wobble move no more than the hysteresis allows, in 10,000 noisy series', async (t) => {
  await soak.run(quietly({ count: 5_000, seed: testSeed() }, t.signal));
});
