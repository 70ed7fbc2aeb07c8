import type { PlacementView } from '../target-view.ts';
import { selectable } from './placement-faults.ts';
import type { PlacementRegistry } from './placement-registry.ts';
import type { PlacementSpec, PlacementStrategy } from './placement-strategy.ts';

/** `maybe` if targets compete, or if it depends on the rest of the pool. */
export type Selection = 'yes' | 'maybe' | 'no';

/**
 * Whether the placements would select one target, without looking at the others: enough to leave most deployments alone.
 */
export function maySelect(
  specs: readonly PlacementSpec[],
  target: PlacementView,
  registry: PlacementRegistry,
): Selection {
  if (selectable([target]).length === 0) return 'no';
  let selection: Selection = 'yes';
  for (const spec of specs) {
    const one = selectionBy(spec, target, registry.get(spec.type));
    if (one === 'no') return 'no';
    if (one === 'maybe') selection = 'maybe';
  }
  return selection;
}

function selectionBy(spec: PlacementSpec, target: PlacementView, strategy: PlacementStrategy | undefined): Selection {
  if (spec.type === 'local') return 'no';
  if (strategy === undefined || strategy.chooses === 'among' || strategy.scores !== undefined) return 'maybe';
  try {
    const { chosen } = strategy.choose(spec, [target], { previous: new Set(), scores: new Map(), now: 0 });
    return chosen.includes(target.id) ? 'yes' : 'no';
  } catch {
    // The resolution reports doubt, not this check.
    return 'maybe';
  }
}
