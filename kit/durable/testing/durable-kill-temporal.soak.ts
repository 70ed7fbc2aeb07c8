import type { Soak } from '#testing/soak';
import { killAtLeast } from './kill/kill-soak.ts';
import { temporalSubject } from './kill/temporal-subject.ts';

export const soak: Soak = {
  description: 'kills of a process with the Temporal engine, at every step boundary and at random',
  defaultCount: 100,
  run: async (options) => {
    const subject = await temporalSubject();
    if (subject === undefined) throw new Error('there is no Temporal server to run this on');
    const kills = await killAtLeast(subject, options);
    options.log(`Temporal: ${kills} kills from seed ${options.seed} on, no difference`);
  },
};
