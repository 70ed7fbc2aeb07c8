import { assertNever } from '#kit/std';
import type { ResourceEntry } from './binding.ts';
import type { Strategy } from './resource-set.ts';

/** Whether content with this hash has to be applied to the cluster of the entry. */
export function needsApply(strategy: Strategy, entry: ResourceEntry | undefined, hash: string): boolean {
  switch (strategy) {
    case 'ApplyOnce':
      return !(entry?.applied ?? false);
    case 'Reconcile':
      return entry === undefined || !entry.applied || entry.hash !== hash;
    default:
      return assertNever(strategy, 'strategy');
  }
}
