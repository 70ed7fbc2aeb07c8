import type { PlacementRegistry } from './placement-registry.ts';
import type { PlacementSpec, Reach, SomeTargets } from './placement-strategy.ts';

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
