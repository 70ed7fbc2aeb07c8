import { it } from 'node:test';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { soak } from './durable-kill-temporal.soak.ts';
import { killAtLeast } from './kill/kill-soak.ts';
import { temporalSubject } from './kill/temporal-subject.ts';

it('a killed process with the Temporal engine goes on as if nothing had been', async (t) => {
  const subject = await temporalSubject();
  if (subject === undefined) return t.skip('there is no Temporal server to run this on');
  // An odd seed means a few random kills: visiting every boundary takes minutes here.
  const size = { count: share(soak.defaultCount), seed: testSeed() | 1 };
  const kills = await killAtLeast(subject, quietly(size, t.signal));
  return t.diagnostic(`${kills} kills from seed ${size.seed} on`);
});
