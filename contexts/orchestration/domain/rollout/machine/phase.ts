export const OUTCOMES = ['Succeeded', 'Superseded', 'Aborted', 'RolledBack'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Why a rollout does not go on by itself. */
export const STOP_REASONS = [
  'PausedByUser',
  'FailuresExceeded',
  'GateRejected',
  'GateExpired',
  'GateUnhealthy',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export type Phase =
  /** Nothing has begun. */
  | { readonly kind: 'Planned'; readonly since: number }
  | { readonly kind: 'Running'; readonly since: number }
  /** Nothing new begins; what is under way comes to its end. */
  | {
      readonly kind: 'Paused';
      readonly since: number;
      readonly reason: StopReason;
      readonly message: string;
    }
  /** For good: whatever is told, nothing is done. */
  | { readonly kind: 'Finished'; readonly since: number; readonly outcome: Outcome; readonly message: string };
