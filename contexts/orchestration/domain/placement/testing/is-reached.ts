import type { PlacementView } from '../../target-view.ts';
import type { Reach } from '../placement-strategy.ts';

/** True for the targets that a pool must read for the reach, and for no other. */
export function isReached(reach: Reach, { id, name, labels }: PlacementView): boolean {
  if (reach === 'all' || reach.refs.includes(id) || reach.refs.includes(name)) return true;
  if (reach.labels === undefined) return false;
  return [...reach.labels].every(([key, values]) => values.includes(labels[key] ?? ''));
}
