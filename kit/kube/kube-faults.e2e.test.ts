import { test } from 'node:test';
import { clustersUnavailable } from '#testing/clusters';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { FAULT_CASES, soak } from './kube-faults.soak.ts';

const skip = (await clustersUnavailable()) ?? false;

test('caches, controllers and leaders come through whatever happens to the API server', { skip }, async (t) => {
  const count = Math.max(FAULT_CASES.length, share(soak.defaultCount));
  await soak.run(quietly({ count, seed: testSeed() }, t.signal));
});
