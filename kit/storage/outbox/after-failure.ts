import { type BackoffPolicy, backoffDelay, type Random } from '#kit/std';

export interface RetryRules {
  /** Attempts before an event becomes a dead letter. */
  readonly attempts: number;
  readonly backoff: BackoffPolicy;
}

export interface Failure {
  /** Failures of this event so far, including this one. */
  readonly attempts: number;
  readonly error: string;
}

/** The outcome of an attempt to handle an event. */
export type Outcome =
  | { readonly kind: 'done' }
  | ({ readonly kind: 'retry'; readonly at: number } & Failure)
  | ({ readonly kind: 'dead' } & Failure);

export function afterFailure(rules: RetryRules, failure: Failure, moment: { now: number; random: Random }): Outcome {
  if (failure.attempts >= rules.attempts) return { kind: 'dead', ...failure };
  return { kind: 'retry', at: moment.now + backoffDelay(rules.backoff, failure.attempts, moment.random), ...failure };
}
