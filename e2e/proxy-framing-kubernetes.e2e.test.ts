import { it } from 'node:test';
import { clustersUnavailable } from '#testing/clusters';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { soak } from './proxy-framing-kubernetes.soak.ts';

const skip = await clustersUnavailable('apiserver');

it('a real API server does what callers were allowed and nothing else, however it is framed', { skip }, async (t) => {
  await soak.run(quietly({ count: share(2_000), seed: testSeed() }, t.signal));
});
