import { type FieldFault, parseDuration, StdError } from '#kit/std';

export const OFFLINE_POLICIES = ['wait', 'skip'] as const;
export type OfflinePolicy = (typeof OFFLINE_POLICIES)[number];

export const COLLISION_POLICIES = ['supersede', 'queue'] as const;
export type CollisionPolicy = (typeof COLLISION_POLICIES)[number];

export const FAILURE_POLICIES = ['pause', 'rollback'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** The budget of a rollout, as the API takes it. Every type of rollout has these fields besides its own. */
export type BudgetSpec = {
  /** How many targets may be in change at once, in all stages together; a percentage refers to the resolved set. */
  readonly maxConcurrency?: Share;
  readonly minAvailable?: Share;
  readonly maxUnavailable?: Share;
  /** How many targets may fail before the rollout stops; 0 by default. */
  readonly maxFailures?: Share;
  /** How long a target may take from being sent content to being available with it. */
  readonly progressDeadline?: string;
  readonly offlinePolicy?: OfflinePolicy;
  /** How long the rollout waits for an offline target. */
  readonly offlineDeadline?: string;
  readonly onCollision?: CollisionPolicy;
  /** Default for stages without a policy of their own. */
  readonly failurePolicy?: FailurePolicy;
};

/** The same with all defaults filled in, as plans and rollout states carry it. */
export interface Budget {
  readonly maxConcurrency?: Share;
  readonly minAvailable?: Share;
  readonly maxUnavailable?: Share;
  readonly maxFailures: Share;
  readonly progressDeadlineMs: number;
  readonly offlinePolicy: OfflinePolicy;
  readonly offlineDeadlineMs: number;
  readonly onCollision: CollisionPolicy;
}

const PROGRESS_DEADLINE = '10m';
const OFFLINE_DEADLINE = '1h';

export function budgetFaults(spec: BudgetSpec, at: string): FieldFault[] {
  return [
    ...shareFaults(spec.maxConcurrency, `${at}/maxConcurrency`, 1),
    ...shareFaults(spec.minAvailable, `${at}/minAvailable`),
    ...shareFaults(spec.maxUnavailable, `${at}/maxUnavailable`),
    ...shareFaults(spec.maxFailures, `${at}/maxFailures`),
    ...durationFaults(spec.progressDeadline, `${at}/progressDeadline`),
    ...choiceFaults(spec.offlinePolicy, OFFLINE_POLICIES, `${at}/offlinePolicy`),
    ...durationFaults(spec.offlineDeadline, `${at}/offlineDeadline`),
    ...choiceFaults(spec.onCollision, COLLISION_POLICIES, `${at}/onCollision`),
    ...choiceFaults(spec.failurePolicy, FAILURE_POLICIES, `${at}/failurePolicy`),
  ];
}

/** The spec must have no faults. */
export function budgetOf(spec: BudgetSpec): Budget {
  const { maxConcurrency, minAvailable, maxUnavailable } = spec;
  return {
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(minAvailable === undefined ? {} : { minAvailable }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    maxFailures: spec.maxFailures ?? 0,
    progressDeadlineMs: parseDuration(spec.progressDeadline ?? PROGRESS_DEADLINE),
    offlinePolicy: spec.offlinePolicy ?? 'wait',
    offlineDeadlineMs: parseDuration(spec.offlineDeadline ?? OFFLINE_DEADLINE),
    onCollision: spec.onCollision ?? 'supersede',
  };
}

export function durationFaults(text: string | undefined, at: string): FieldFault[] {
  if (text === undefined) return [];
  try {
    if (parseDuration(text) > 0) return [];
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
  }
  return [{ path: at, message: 'must be a duration such as 30s, 5m, 1h30m or 7d, longer than zero' }];
}

export function choiceFaults(value: string | undefined, choices: readonly string[], at: string): FieldFault[] {
  if (value === undefined || choices.includes(value)) return [];
  return [{ path: at, message: `must be one of ${choices.join(', ')}` }];
}

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
