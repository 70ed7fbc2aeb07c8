import { type BackoffPolicy, backoffDelay, type Random } from '#kit/std';

export interface RetryRules {
  /** How often an event is tried before it becomes a dead letter. */
  readonly attempts: number;
  readonly backoff: BackoffPolicy;
}

export interface Failure {
  /** Failures of this event so far, this one included. */
  readonly attempts: number;
  readonly error: string;
}

/** What becomes of an event that was tried. */
export type Outcome =
  | { readonly kind: 'done' }
  | ({ readonly kind: 'retry'; readonly at: number } & Failure)
  | ({ readonly kind: 'dead' } & Failure);

export function afterFailure(rules: RetryRules, failure: Failure, moment: { now: number; random: Random }): Outcome {
  if (failure.attempts >= rules.attempts) return { kind: 'dead', ...failure };
  return { kind: 'retry', at: moment.now + backoffDelay(rules.backoff, failure.attempts, moment.random), ...failure };
}
