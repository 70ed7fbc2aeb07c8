import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { killOften, soak } from './kill.soak.ts';

describe('a platform that is killed while clients write', () => {
  for (const engine of DATABASES) {
    it(`has on ${engine} all that was acknowledged, and nothing by half`, async (t) => {
      await killOften(engine, quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
    });
  }
});
