import { seededRandom } from '#testing/seeded';
import { SoakCaseFailure, type SoakOptions } from '#testing/soak';
import { type KillSubject, killCase } from './kill-case.ts';

/**
 * At least so many kills. A case is always run to its end, so that `--count 1` with the seed of one that was wrong is the
 * whole of that case again.
 */
export async function killAtLeast(subject: KillSubject, options: SoakOptions): Promise<number> {
  let kills = 0;
  for (let seed = options.seed; kills < options.count; seed += 1) {
    try {
      kills += await killCase(subject, { seed, random: seededRandom(seed), signal: options.signal });
    } catch (error) {
      options.signal.throwIfAborted();
      throw new SoakCaseFailure(seed, error);
    }
    options.progress(kills);
  }
  return kills;
}
