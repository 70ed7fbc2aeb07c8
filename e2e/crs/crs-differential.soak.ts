import { seededRandom } from '#testing/seeded';
import type { Soak } from '#testing/soak';
import { compareManagers } from './compare-managers.ts';
import { SCENARIOS } from './scenarios.ts';

export const soak: Soak = {
  description: "the same scenarios with Cluster API's manager and with ours, compared field by field",
  defaultCount: SCENARIOS.length,
  /** The seed decides the order; scenarios repeat from the beginning when `count` exceeds them. */
  async run({ count, seed, progress, signal }) {
    const order = seededRandom(seed).shuffled(SCENARIOS);
    const scenarios = Array.from({ length: count }, (_, index) => order.at(index % order.length)).filter(
      (scenario) => scenario !== undefined,
    );
    await compareManagers({ scenarios, progress }, signal);
  },
};
