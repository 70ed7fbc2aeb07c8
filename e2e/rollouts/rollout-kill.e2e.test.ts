import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { seededRandom, testSeed } from '#testing/seeded';
import { killDuringRollouts } from './rollout-kill.soak.ts';

/** `npm run soak -- rollout-kill` has a thousand. */
const SIZE = { targets: 120, kills: 2 };

describe('a platform that is killed while a change goes to many targets', () => {
  for (const engine of DATABASES) {
    it(`brings it on ${engine} to everybody, and to nobody again who has it`, async (t) => {
      const seed = testSeed();
      await killDuringRollouts(engine, SIZE, { seed, random: seededRandom(seed), signal: t.signal });
    });
  }
});
