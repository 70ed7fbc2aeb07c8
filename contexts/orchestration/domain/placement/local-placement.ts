import type { PlacementStrategy } from './placement-strategy.ts';

export type LocalPlacement = { readonly type: 'local' };

/** The platform itself. `resolvePlacement` gives it a pool of that one target, which is in no other strategy's. */
export const localPlacement: PlacementStrategy<LocalPlacement> = {
  type: 'local',
  chooses: 'each',
  faults: () => [],
  choose: (_spec, pool) => ({ chosen: pool.map((target) => target.id) }),
};
