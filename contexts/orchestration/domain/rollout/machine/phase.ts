export const OUTCOMES = ['Succeeded', 'Superseded', 'Aborted', 'RolledBack'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Why a rollout does not continue by itself. */
export const STOP_REASONS = [
  'PausedByUser',
  'FailuresExceeded',
  'GateRejected',
  'GateExpired',
  'GateUnhealthy',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export type Phase =
  /** Not started. */
  | { readonly kind: 'Planned'; readonly since: number }
  | { readonly kind: 'Running'; readonly since: number }
  /** Nothing new starts; orders under way run to their end. */
  | {
      readonly kind: 'Paused';
      readonly since: number;
      readonly reason: StopReason;
      readonly message: string;
    }
  /** Final: further events change nothing. */
  | { readonly kind: 'Finished'; readonly since: number; readonly outcome: Outcome; readonly message: string };
