import type { Serving } from './control-message.ts';

/** That somebody wants to speak for a target. It stands for as long as its session is remembered, connected or not. */
export interface StandingClaim {
  readonly session: string;
  readonly serving: Serving;
  /** When this session first claimed the target, as a count: to connect again makes nobody newer. */
  readonly since: number;
}

/**
 * Who speaks for a target: one that is where it is before one that is not, then the newest.
 *
 * DECISION: a claim outlives its connection. So a link that flaps hands nothing to and fro, a proxy does not get a target
 * back because the agent beside it is away for a moment, and of two that are alike the older does not win by reconnecting.
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
