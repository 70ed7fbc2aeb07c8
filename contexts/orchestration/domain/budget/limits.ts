import type { Budget } from './budget.ts';
import { atLeastOne, resolveShare } from './share.ts';

/** A budget as absolute numbers, for a resolved set of a given size. */
export interface Limits {
  /** Most targets that may have an order under way. */
  readonly concurrency: number;
  /** Most targets that may be unavailable. */
  readonly unavailable: number;
  readonly failures: number;
}

/** How much of the budget is in use. */
export interface Usage {
  /** Targets that were sent content and are not available with it yet. */
  readonly inChange: number;
  /** Those in change, plus all that have the deployment and are degraded, offline or of unknown health. */
  readonly unavailable: number;
}

export interface Candidate {
  /** Known to be degraded, and counted as unavailable already: a change cannot make it worse. */
  readonly isBroken: boolean;
}

/**
 * DECISION: percentages of `maxUnavailable` and `maxFailures` are rounded down and those of `minAvailable` up, so that
 * rounding never harms more targets than requested. Ten percent of five is then zero, which the rollout reports as a
 * conflict. Concurrency only affects speed, and is at least one.
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
 * DECISION: there are never more targets in change than may be unavailable, and an available target is changed only while
 * fewer targets are unavailable than may be. A broken target may be changed beyond that: it is down already, and the
 * rollout may repair it. A target that is merely offline or of unknown health gets no such exception, since it may be
 * fine.
 */
export function admits(limits: Limits, usage: Usage, candidate: Candidate): boolean {
  if (usage.inChange >= limits.unavailable) return false;
  return candidate.isBroken || usage.unavailable < limits.unavailable;
}
