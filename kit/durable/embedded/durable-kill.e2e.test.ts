import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { embeddedSubject } from '../testing/kill/embedded-subject.ts';
import { killAtLeast } from '../testing/kill/kill-soak.ts';
import { soak } from './durable-kill.soak.ts';

describe('a killed process with the embedded engine goes on as if nothing had been', () => {
  for (const engine of DATABASES) {
    it(`on ${engine}`, async (t) => {
      const size = { count: share(soak.defaultCount), seed: testSeed() };
      const kills = await killAtLeast(embeddedSubject(engine), quietly(size, t.signal));
      t.diagnostic(`${kills} kills from seed ${size.seed} on`);
    });
  }
});
