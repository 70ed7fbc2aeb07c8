import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { eachCase, type Soak, type SoakCase } from '#testing/soak';
import { KilledFleet } from './killed-fleet.ts';

interface KillSize {
  readonly targets: number;
  /** During each of the rollouts. */
  readonly kills: number;
}

const SIZE: KillSize = { targets: 1_000, kills: 6 };

export const soak: Soak = {
  description: 'kill -9 during a rollout to 1,000 targets: each gets the change, and none twice without need',
  defaultCount: 5,
  async run(options) {
    for (const engine of DATABASES) {
      options.log(`${options.count} fleets of ${SIZE.targets} on ${engine}`);
      await eachCase(options, (it) => killDuringRollouts(engine, SIZE, it));
    }
  },
};

/** One immediate change, and one in three stages. */
export async function killDuringRollouts(engine: Engine, size: KillSize, { seed, signal }: SoakCase): Promise<void> {
  const fleet = await KilledFleet.create({ engine, seed, size: size.targets });
  try {
    for (const rollout of ['immediate', 'staged'] as const) {
      signal.throwIfAborted();
      await fleet.changeAndKill(rollout, size.kills);
    }
  } finally {
    await fleet.dispose();
  }
}
