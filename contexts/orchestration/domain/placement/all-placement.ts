import type { PlacementStrategy } from './placement-strategy.ts';

export type AllPlacement = { readonly type: 'all' };

/** Every target of the pool, which the platform itself is never in. */
export const allPlacement: PlacementStrategy<AllPlacement> = {
  type: 'all',
  chooses: 'each',
  faults: () => [],
  choose: (_spec, pool) => ({ chosen: pool.map((target) => target.id) }),
};
