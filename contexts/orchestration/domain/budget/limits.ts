import type { Budget } from './budget.ts';
import { atLeastOne, resolveShare } from './share.ts';

/** A budget in numbers, for a resolved set of a certain size. */
export interface Limits {
  /** Targets with something under way. */
  readonly concurrency: number;
  /** Targets that are not available. */
  readonly unavailable: number;
  readonly failures: number;
}

/** How much of the budget is used up. */
export interface Usage {
  /** Targets that were sent something and are not available with it yet. */
  readonly inChange: number;
  /** Those, and all that have the deployment and are degraded, offline or not heard of. */
  readonly unavailable: number;
}

export interface Candidate {
  /** Known to be degraded, and counted as unavailable for it: a change cannot make that worse. */
  readonly isBroken: boolean;
}

/**
 * DECISION: percentages of `maxUnavailable` and `maxFailures` are rounded down and those of `minAvailable` up, so that no
 * rounding harms more targets than was said. Ten percent of five are none then; the rollout says so as a conflict.
 * Concurrency is about speed alone, and is at least one.
 */
export function limitsOf(budget: Budget, size: number): Limits {
  const { maxConcurrency, maxUnavailable, minAvailable, maxFailures } = budget;
  const mayMiss = maxUnavailable === undefined ? Infinity : resolveShare(maxUnavailable, size, 'down');
  const mustHave = minAvailable === undefined ? -Infinity : resolveShare(minAvailable, size, 'up');
  return {
    concurrency: maxConcurrency === undefined ? Infinity : atLeastOne(maxConcurrency, size),
    unavailable: Math.max(0, Math.min(mayMiss, size - mustHave)),
    failures: resolveShare(maxFailures, size, 'down'),
  };
}

/**
 * Whether one more target may be changed.
 *
 * DECISION: never are more targets in change than may be unavailable, and an available one is changed only while fewer
 * are unavailable than may be. A broken one may be changed beyond that: it is down already, and what is being rolled out
 * may be what repairs it. One that is merely offline or not heard of gets no such pass, as it may be well.
 */
export function admits(limits: Limits, usage: Usage, candidate: Candidate): boolean {
  if (usage.inChange >= limits.unavailable) return false;
  return candidate.isBroken || usage.unavailable < limits.unavailable;
}
