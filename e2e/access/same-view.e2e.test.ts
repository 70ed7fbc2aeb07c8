import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { compareViews, soak } from './same-view.soak.ts';

describe('what a caller may not see does not exist for him', () => {
  for (const engine of DATABASES) {
    it(`whatever the caller asks, on ${engine}`, async (t) => {
      await compareViews(engine, quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
    });
  }
});
