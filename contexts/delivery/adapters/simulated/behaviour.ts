import type { Health } from '#protocol/delivery';

export const OUTCOMES = [
  /** Accepted, and applied or removed. */
  'succeed',
  /** Accepted, and then fails. */
  'fail',
  /** Not accepted: this target will never take it. */
  'refuse',
  /** Accepted, and later rejected as something that it will never take. */
  'reject',
  /** Accepted, and never reported on. */
  'silence',
  /** Never answered. */
  'hang',
  /** The call breaks off. */
  'break',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How a simulated target handles orders. */
export interface Behaviour {
  readonly outcome: Outcome;
  /** From the order to its acknowledgement. */
  readonly latencyMs: number;
  /** From there until it is applied. */
  readonly applyMs: number;
  /** From there until its health is known. */
  readonly healthMs: number;
  /** Up to this much is added at random to each of the last two. */
  readonly jitterMs: number;
  readonly health: Health;
  /** The interval at which its health flips between Available and Degraded. */
  readonly flapMs?: number;
  /** The fraction of orders that fail at random: 0.1 is one in ten. */
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
