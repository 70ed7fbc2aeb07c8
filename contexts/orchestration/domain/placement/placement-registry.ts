import { allPlacement } from './all-placement.ts';
import { localPlacement } from './local-placement.ts';
import type { PlacementStrategy } from './placement-strategy.ts';
import { scoredPlacement } from './scored-placement.ts';
import { selectorPlacement } from './selector-placement.ts';
import { staticPlacement } from './static-placement.ts';

export type PlacementRegistry = ReadonlyMap<string, PlacementStrategy>;

/** The built-in strategies and those of addons. Two strategies may not have the same type. */
export function createPlacementRegistry(added: readonly PlacementStrategy[] = []): PlacementRegistry {
  const registry = new Map<string, PlacementStrategy>();
  for (const strategy of [...BUILT_IN, ...added]) {
    if (registry.has(strategy.type)) throw new TypeError(`two placement strategies are of type ${strategy.type}`);
    registry.set(strategy.type, strategy);
  }
  return registry;
}

const BUILT_IN: readonly PlacementStrategy[] = [
  selectorPlacement,
  staticPlacement,
  allPlacement,
  localPlacement,
  scoredPlacement,
];
