import type { RolloutRegistry, RolloutStrategy } from '../rollout-strategy.ts';
import { immediateRollout } from './immediate-rollout.ts';
import { rollingRollout } from './rolling-rollout.ts';
import { stagedRollout } from './staged-rollout.ts';

const ROLLOUTS: readonly RolloutStrategy[] = [immediateRollout, rollingRollout, stagedRollout];

/** Others are added by making a map of these and one's own. */
export const BUILT_IN_ROLLOUTS: RolloutRegistry = new Map(ROLLOUTS.map((rollout) => [rollout.type, rollout]));
