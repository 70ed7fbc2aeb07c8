import type { PlacementRegistry } from './placement-registry.ts';
import type { PlacementSpec } from './placement-strategy.ts';

/**
 * The targets of a pool that need to be read, so that a deployment on a few targets of a large workspace does not cost as
 * much as one on all of them. It may include targets that are not chosen, but lacks none that could be.
 */
export type Reach = 'all' | SomeTargets;

/** Those named, and those whose labels have one of the values for each key. */
export interface SomeTargets {
  /** By name or uid. */
  readonly refs: readonly string[];
  /** Absent if no target is reached by its labels. */
  readonly labels?: ReadonlyMap<string, readonly string[]>;
}

/**
 * Each placement chooses from the choice of the one before it, so the first one bounds them all. Targets that others name
 * are read as well: one that is not chosen has to be told from one that does not exist.
 */
export function reachOf(specs: readonly PlacementSpec[], registry: PlacementRegistry): Reach {
  const [first, ...others] = specs.map((spec) => registry.get(spec.type)?.reach?.(spec) ?? 'all');
  if (first === undefined || first === 'all') return 'all';
  return withRefs(
    first,
    others.flatMap((other) => (other === 'all' ? [] : other.refs)),
  );
}

/** These targets as well. */
export function withRefs(reach: SomeTargets, refs: readonly string[]): SomeTargets;
export function withRefs(reach: Reach, refs: readonly string[]): Reach;
export function withRefs(reach: Reach, refs: readonly string[]): Reach {
  return reach === 'all' || refs.length === 0 ? reach : { ...reach, refs: [...new Set([...reach.refs, ...refs])] };
}
