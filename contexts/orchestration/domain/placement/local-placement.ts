import type { PlacementStrategy } from './placement-strategy.ts';

export type LocalPlacement = { readonly type: 'local' };

/** The platform itself. `resolvePlacement` passes a pool of that one target, which no other strategy's pool contains. */
export const localPlacement: PlacementStrategy<LocalPlacement> = {
  type: 'local',
  chooses: 'each',
  faults: () => [],
  reach: () => ({ refs: [] }),
  choose: (_spec, pool) => ({ chosen: pool.map((target) => target.id) }),
};
