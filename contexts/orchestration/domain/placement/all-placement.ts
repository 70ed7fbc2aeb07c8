import type { PlacementStrategy } from './placement-strategy.ts';

export type AllPlacement = { readonly type: 'all' };

/** Every target of the pool, which never contains the platform itself. */
export const allPlacement: PlacementStrategy<AllPlacement> = {
  type: 'all',
  chooses: 'each',
  faults: () => [],
  choose: (_spec, pool) => ({ chosen: pool.map((target) => target.id) }),
};
