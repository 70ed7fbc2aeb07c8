import type { Serving } from './control-message.ts';

/** A session's claim to serve a target. It stands for as long as the session is remembered, connected or not. */
export interface StandingClaim {
  readonly session: string;
  readonly serving: Serving;
  /** When this session first claimed the target, as a counter: reconnecting does not make a claim newer. */
  readonly since: number;
}

/**
 * Selects the claim that serves a target: a colocated one before a proxy, then the newest.
 *
 * DECISION: a claim outlives its connection. So a flapping link does not hand a target back and forth, a proxy does not get a
 * target back because the colocated agent is away for a moment, and of two equal claims the older does not win by reconnecting.
 */
export function speakerOf<Claim extends StandingClaim>(claims: Iterable<Claim>): Claim | undefined {
  let best: Claim | undefined;
  for (const claim of claims) {
    if (best === undefined || comesBefore(claim, best)) best = claim;
  }
  return best;
}

function comesBefore(a: StandingClaim, b: StandingClaim): boolean {
  return a.serving === b.serving ? a.since > b.since : a.serving === 'colocated';
}
