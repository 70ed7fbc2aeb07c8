import type { Engine } from '#kit/storage';
import type { PlatformHome } from '#testing/platform-process';

/**
 * One way to harm a platform, its clusters or other callers. It uses public interfaces only (HTTP, gRPC, WebSocket, the
 * CLI, kubectl, charts), so that it runs against any built package: `npm run hostile -- --package DIR`.
 */
export interface Attack {
  /** Number of the review finding it comes from. Several attacks may share one. */
  readonly finding: number;
  /** The attacker's goal, as a sentence: `a viewer smuggles a request through the API proxy`. */
  readonly name: string;
  /** The only engine it works on; every engine by default. */
  readonly engine?: Engine;
  run(stage: Stage): Promise<Outcome>;
}

/** The surroundings of an attack: a home in which it starts its platform, with the flags it needs. */
export interface Stage {
  readonly home: PlatformHome;
  readonly engine: Engine;
  /** Empty, and removed afterwards. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** `evidence` states the observation, for the reader of the report. */
export type Outcome = { readonly succeeded: boolean; readonly evidence: string };

export function succeeded(evidence: string): Outcome {
  return { succeeded: true, evidence };
}

export function heldOff(evidence: string): Outcome {
  return { succeeded: false, evidence };
}
