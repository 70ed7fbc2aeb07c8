import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { hostileWorld } from './hostile-agent.soak.ts';

for (const engine of DATABASES) {
  describe(`a hostile agent on ${engine}`, () => {
    it('is noticed by no other target, caller or deployment, also after a restart', async (t) => {
      await hostileWorld(engine, quietly({ count: share(4_000), seed: testSeed() }, t.signal));
    });
  });
}
