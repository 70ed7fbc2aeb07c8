import type { Health } from '#protocol/delivery';

export const OUTCOMES = [
  /** Accepted, and applied or removed. */
  'succeed',
  /** Accepted, and then it does not work. */
  'fail',
  /** Not accepted: it never will take this. */
  'refuse',
  /** Accepted, and then found to be what it never will take. */
  'reject',
  /** Accepted, and nothing is heard of it any more. */
  'silence',
  /** Nobody ever answers. */
  'hang',
  /** The call breaks off. */
  'break',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How a simulated target takes what is sent to it. */
export interface Behaviour {
  readonly outcome: Outcome;
  /** From the order to its acknowledgement. */
  readonly latencyMs: number;
  /** From there until it is done. */
  readonly applyMs: number;
  /** From there until its health is known. */
  readonly healthMs: number;
  /** Up to so much is added to the last two, by chance. */
  readonly jitterMs: number;
  readonly health: Health;
  /** Its health turns from Available to Degraded and back, so often. */
  readonly flapMs?: number;
  /** One in so many orders fails, by chance, as 0.1 is one in ten. */
  readonly failures: number;
}

export const WELL_BEHAVED: Behaviour = {
  outcome: 'succeed',
  latencyMs: 20,
  applyMs: 0,
  healthMs: 0,
  jitterMs: 0,
  health: 'Available',
  failures: 0,
};
