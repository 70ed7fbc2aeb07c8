import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import type { Soak, SoakOptions } from '#testing/soak';
import { KilledPlatform } from './kill/killed-platform.ts';

/** Enough that a crash meets the leftovers of earlier crashes, and few enough that the check stays quick. */
const KILLS_PER_HOME = 10;

export const soak: Soak = {
  description: 'kill -9 under concurrent writers, on each database: no acknowledged write is lost, none is half done',
  defaultCount: 200,
  async run(options) {
    for (const engine of DATABASES) {
      options.log(`${options.count} kills on ${engine}`);
      await killOften(engine, options);
    }
  },
};

/** Each home has the next seed, so that a single one can be reproduced. */
export async function killOften(engine: Engine, { count, seed, progress, signal }: SoakOptions): Promise<void> {
  for (let killed = 0; killed < count; killed += KILLS_PER_HOME) {
    const homeSeed = seed + killed / KILLS_PER_HOME;
    const platform = await KilledPlatform.create(engine, homeSeed);
    try {
      for (let more = 1; more <= Math.min(KILLS_PER_HOME, count - killed); more += 1) {
        signal.throwIfAborted();
        await platform.killOnce();
        progress(killed + more);
      }
      await platform.check();
    } catch (cause) {
      signal.throwIfAborted();
      const again = `npm run soak -- kill --count ${KILLS_PER_HOME} --seed ${homeSeed}`;
      throw new Error(`kill on ${engine}; the same moments again: ${again}`, { cause });
    } finally {
      await platform.dispose();
    }
  }
}
