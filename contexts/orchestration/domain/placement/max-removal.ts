import { atLeastOne, resolveShare, type Share } from '../budget/share.ts';

/** Of the placed set; at least one target. */
export const DEFAULT_MAX_REMOVAL: Share = '10%';

/** How many targets of a set may leave without confirmation. Any percentage above 0 allows at least one. */
export function removalLimit(max: Share, setSize: number): number {
  const isSome = typeof max === 'string' && resolveShare(max, 100, 'down') > 0;
  return isSome ? atLeastOne(max, setSize) : resolveShare(max, setSize, 'down');
}
