import { type FieldFault, labelFaults, parseDuration, parseResourceName, StdError } from '#kit/std';

/** The parts of a target's total, with their weights. */
export type Weight =
  /** A score reported for the target through the API. */
  | { readonly type: 'reported'; readonly score: string; readonly weight: number }
  /** One point less for each other deployment that the target carries. */
  | { readonly type: 'load'; readonly weight: number }
  /** One point less for each target placed already that has the same value of the label. */
  | { readonly type: 'spread'; readonly label: string; readonly weight: number };

const WEIGHT_TYPES: readonly string[] = ['reported', 'load', 'spread'] satisfies Weight['type'][];

export type ScoredPlacement = {
  readonly type: 'scored';
  /** How many targets are placed, best first. */
  readonly top: number;
  readonly weights: readonly Weight[];
  /** By how many points a target must beat a placed one to replace it; default 10. */
  readonly hysteresis?: number;
  /** How long a report counts, as a duration; default 10m. */
  readonly maxScoreAge?: string;
};

export const DEFAULT_HYSTERESIS = 10;
export const DEFAULT_MAX_SCORE_AGE = '10m';

/** Reported scores lie between this and its negative, so that weights are comparable. */
export const MAX_SCORE = 100;

export function scoredFaults(spec: ScoredPlacement, at: string): FieldFault[] {
  const { top, weights, hysteresis = DEFAULT_HYSTERESIS, maxScoreAge = DEFAULT_MAX_SCORE_AGE } = spec;
  const faults = weightsFaults(weights, `${at}/weights`);
  if (!Number.isSafeInteger(top) || top < 1)
    faults.push({ path: `${at}/top`, message: 'must be a whole number from 1' });
  if (!Number.isFinite(hysteresis) || hysteresis < 0) {
    faults.push({ path: `${at}/hysteresis`, message: 'must be a number of points from 0' });
  }
  const isAge = isRead(() => parseDuration(maxScoreAge));
  if (!isAge) faults.push({ path: `${at}/maxScoreAge`, message: 'must be a duration such as 30s, 10m or 1h30m' });
  return faults;
}

function weightsFaults(weights: readonly Weight[], at: string): FieldFault[] {
  if (weights.length === 0) return [{ path: at, message: 'must have at least one weight' }];
  const seen = new Set<string>();
  return weights.flatMap((weight, index) => {
    const key = keyOf(weight);
    const faults = weightFaults(weight, `${at}/${index}`);
    if (seen.has(key)) faults.push({ path: `${at}/${index}`, message: `weighs ${key} a second time` });
    seen.add(key);
    return faults;
  });
}

/**
 * DECISION: only one label to spread by. Greedy choice by one label keeps the guarantee of the hysteresis; with several
 * overlapping labels, one small change can move a whole chain of targets.
 */
function keyOf(weight: Weight): string {
  return weight.type === 'reported' ? `the score ${weight.score}` : weight.type;
}

function weightFaults(weight: Weight, at: string): FieldFault[] {
  const faults: FieldFault[] = [];
  if (!WEIGHT_TYPES.includes(weight.type)) {
    return [{ path: `${at}/type`, message: `must be one of ${WEIGHT_TYPES.join(', ')}` }];
  }
  if (!Number.isFinite(weight.weight) || weight.weight === 0) {
    faults.push({ path: `${at}/weight`, message: 'must be a number other than 0' });
  }
  if (weight.type === 'reported' && !isRead(() => parseResourceName(weight.score))) {
    faults.push({
      path: `${at}/score`,
      message: 'must be the name of a score: lower-case letters, digits and hyphens',
    });
  }
  if (weight.type !== 'spread') return faults;
  if (weight.weight < 0)
    faults.push({ path: `${at}/weight`, message: 'must be more than 0: it spreads, and never gathers' });
  for (const { message } of labelFaults({ [weight.label]: '' })) faults.push({ path: `${at}/label`, message });
  return faults;
}

function isRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof StdError) return false;
    throw error;
  }
}
