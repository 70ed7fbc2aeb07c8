import { assertNever } from '#kit/std';
import type { ResourceEntry } from './binding.ts';
import type { Strategy } from './resource-set.ts';

/** Whether content with this hash has to be brought to the cluster that the entry is of. */
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
