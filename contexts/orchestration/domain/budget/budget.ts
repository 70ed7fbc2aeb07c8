import { type FieldFault, parseDuration, StdError } from '#kit/std';
import { type Share, shareFaults } from './share.ts';

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
