import { describe, it } from 'node:test';
import { clustersUnavailable } from '#testing/clusters';
import { manifestsUnavailable } from '#testing/public-manifests';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { soak } from './public-manifests.soak.ts';

const skip = (await clustersUnavailable('nodes')) ?? (await manifestsUnavailable()) ?? false;

describe('Argo CD, and the definitions of cert-manager and of the Gateway API', { skip }, () => {
  it('come, change, go back and go, whoever is killed meanwhile, and the clusters are as they were', async (t) => {
    await soak.run(quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
  });
});
