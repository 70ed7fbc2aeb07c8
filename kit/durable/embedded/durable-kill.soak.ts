import { DATABASES } from '#testing/databases';
import type { Soak } from '#testing/soak';
import { embeddedSubject } from '../testing/kill/embedded-subject.ts';
import { killAtLeast } from '../testing/kill/kill-soak.ts';

export const soak: Soak = {
  description: 'kills of a process with the embedded engine, on each database, at every step boundary and at random',
  defaultCount: 1_000,
  run: async (options) => {
    for (const engine of DATABASES) {
      const kills = await killAtLeast(embeddedSubject(engine), options);
      options.log(`${engine}: ${kills} kills from seed ${options.seed} on, no difference`);
    }
  },
};
