import type { FieldFault } from '#kit/std';

/** A number of targets, or a percentage of them such as `25%`. */
export type Share = number | string;

const PERCENT = /^(0|[1-9][0-9]?|100)%$/;

/** `least` is the smallest valid number, and the smallest valid percentage. */
export function shareFaults(share: Share | undefined, at: string, least = 0): FieldFault[] {
  if (share === undefined) return [];
  if (typeof share === 'number' && Number.isSafeInteger(share) && share >= least) return [];
  if (typeof share === 'string' && PERCENT.test(share) && Number.parseInt(share, 10) >= least) return [];
  return [{ path: at, message: `must be a whole number from ${least}, or a percentage from ${least}% to 100%` }];
}

export function resolveShare(share: Share, of: number, rounding: 'down' | 'up'): number {
  if (typeof share === 'number') return share;
  const exact = (Number.parseInt(share, 10) * of) / 100;
  return rounding === 'down' ? Math.floor(exact) : Math.ceil(exact);
}

/** For limits that must allow progress: 10 % of five is one. */
export function atLeastOne(share: Share, of: number): number {
  return Math.max(1, resolveShare(share, of, 'down'));
}
