import { seededRandom } from '#testing/seeded';
import { SoakCaseFailure, type SoakOptions } from '#testing/soak';
import { type KillSubject, killCase } from './kill-case.ts';

/**
 * Runs until at least this many kills. A case always runs to its end, so `--count 1` with the seed of a failed case
 * repeats that whole case.
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
