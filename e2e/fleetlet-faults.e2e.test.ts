import { it } from 'node:test';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { soak } from './fleetlet-faults.soak.ts';

it('a fleetlet loses nothing and repeats nothing unmarked, whatever the network does and whoever is killed', async (t) => {
  await soak.run(quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
});
