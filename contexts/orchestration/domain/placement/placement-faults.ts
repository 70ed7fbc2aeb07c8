import type { FieldFault } from '#kit/std';
import type { PlacementView } from '../target-view.ts';
import type { PlacementRegistry } from './placement-registry.ts';
import type { PlacementSpec } from './placement-strategy.ts';

export interface PlacementCheck {
  readonly registry: PlacementRegistry;
  /** The targets of the workspace, if the spec is being written. Absent when stored specs are read again. */
  readonly pool?: readonly PlacementView[];
  readonly at?: string;
}

/** All faults of a deployment's placements. */
export function placementFaults(specs: readonly PlacementSpec[], check: PlacementCheck): FieldFault[] {
  const { registry, pool, at = '/placement' } = check;
  if (specs.length === 0) return [{ path: at, message: 'must have at least one placement; use all for every target' }];
  const scope = pool && { pool: selectable(pool) };
  return specs.flatMap((spec, index) => {
    const place = { at: `${at}/${index}`, ...scope };
    const strategy = registry.get(spec.type);
    if (strategy === undefined) return [unknownType(spec.type, place.at, registry)];
    const isBesideOthers = spec.type === 'local' && specs.length > 1;
    return [...strategy.faults(spec, place), ...(isBesideOthers ? [besideOthers(place.at)] : [])];
  });
}

/**
 * The targets that any placement but `local` may choose from. The platform itself needs its own permission, so it is out
 * of reach even if it was registered as a target.
 */
export function selectable(pool: readonly PlacementView[]): readonly PlacementView[] {
  return pool.filter((target) => target.type !== 'local');
}

/** The names of the reported scores that any of the placements uses. */
export function scoresReadBy(specs: readonly PlacementSpec[], registry: PlacementRegistry): ReadonlySet<string> {
  return new Set(specs.flatMap((spec) => registry.get(spec.type)?.scores?.(spec) ?? []));
}

function unknownType(type: string, at: string, registry: PlacementRegistry): FieldFault {
  return { path: `${at}/type`, message: `is ${type}, and must be one of ${[...registry.keys()].join(', ')}` };
}

function besideOthers(at: string): FieldFault {
  return { path: at, message: 'must be the only placement: the platform itself is in no pool' };
}
