import { atLeastOne, resolveShare, type Share } from '../budget/share.ts';

/** Of the set, and at least one. */
export const DEFAULT_MAX_REMOVAL: Share = '10%';

/** How many of a set may go without being asked about. Any share but none of them is at least one. */
export function removalLimit(max: Share, setSize: number): number {
  const isSome = typeof max === 'string' && resolveShare(max, 100, 'down') > 0;
  return isSome ? atLeastOne(max, setSize) : resolveShare(max, setSize, 'down');
}
