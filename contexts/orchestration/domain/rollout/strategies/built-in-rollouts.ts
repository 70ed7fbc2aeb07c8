import type { RolloutRegistry, RolloutStrategy } from '../rollout-strategy.ts';
import { immediateRollout } from './immediate-rollout.ts';
import { rollingRollout } from './rolling-rollout.ts';
import { stagedRollout } from './staged-rollout.ts';

const ROLLOUTS: readonly RolloutStrategy[] = [immediateRollout, rollingRollout, stagedRollout];

export const BUILT_IN_ROLLOUTS: RolloutRegistry = new Map(ROLLOUTS.map((rollout) => [rollout.type, rollout]));
