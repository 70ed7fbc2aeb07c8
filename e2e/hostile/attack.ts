import type { Engine } from '#kit/storage';
import type { PlatformHome } from '#testing/platform-process';

/**
 * One way to harm a platform, its clusters or other callers. It speaks public interfaces only (HTTP, gRPC, WebSocket, the CLI,
 * kubectl, charts), so that it can be run against any built package: `npm run hostile -- --package DIR`.
 */
export interface Attack {
  /** Number of the finding in the review that it comes from. Several attacks may belong to one. */
  readonly finding: number;
  /** What an attacker wants, as a sentence: `a viewer smuggles a request through the API proxy`. */
  readonly name: string;
  /** Where it can be made; on every engine, unless given. */
  readonly engine?: Engine;
  run(stage: Stage): Promise<Outcome>;
}

/** Where an attack happens: a home that it starts its platform in, with the flags that it needs. */
export interface Stage {
  readonly home: PlatformHome;
  readonly engine: Engine;
  /** Empty, and removed afterwards. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** `evidence` says what was seen, for the reader of the report. */
export type Outcome = { readonly succeeded: boolean; readonly evidence: string };

export function succeeded(evidence: string): Outcome {
  return { succeeded: true, evidence };
}

export function heldOff(evidence: string): Outcome {
  return { succeeded: false, evidence };
}
