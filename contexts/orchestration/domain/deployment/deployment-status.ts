import type { TargetId } from '#protocol/targets';
import type { Exclusion, Retention } from '../placement/exclusion.ts';
import type { Wait } from '../rollout/machine/explain-wait.ts';
import type { Outcome, StopReason } from '../rollout/machine/phase.ts';

export const CONDITION_TYPES = [
  'Placed',
  'Planned',
  'Progressing',
  'Available',
  'Degraded',
  'Conflict',
  'Paused',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export interface Condition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  /** Why, in one word for programs. The words are listed in the README of the context. */
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: number;
  readonly observedGeneration: number;
}

/** All that is kept of how a deployment stands, beside its targets. Plain JSON. */
export interface DeploymentStatus {
  readonly conditions: readonly Condition[];
  readonly placement: PlacementStatus;
  readonly counts: TargetCounts;
  /** Of the latest rollout, under way or finished. */
  readonly rollout?: RolloutStatus;
  /** What keeps a rollout from being planned: a strategy that throws, a placement in doubt. */
  readonly trouble?: { readonly reason: string; readonly message: string; readonly since: number };
}

/** What the last sure resolution said, and whether there was doubt since. */
export interface PlacementStatus {
  readonly kind: 'unresolved' | 'sure' | 'unsure';
  /** Why it is unsure. */
  readonly why?: string;
  readonly excluded: readonly Exclusion[];
  readonly retained: readonly Retention[];
  readonly missing: readonly string[];
  /** They would go, and wait for a cause or for `:confirmRemoval`. */
  readonly held: readonly { readonly id: TargetId; readonly why: 'NoCause' | 'MaxRemoval'; readonly message: string }[];
}

/** Kept up by differences: a change on one of many targets costs the same as one of few. */
export interface TargetCounts {
  readonly placed: number;
  /** Of those placed: has the content it should have and is available. */
  readonly available: number;
  readonly degraded: number;
  /** Health not known: nothing heard since it was changed or came back. */
  readonly unknown: number;
  readonly offline: number;
  /** Something was sent, and it has not come to its end. */
  readonly underWay: number;
  readonly failed: number;
  /** Not placed any more, and not empty yet. */
  readonly leaving: number;
  readonly drifted: number;
  /** Whose agent has seen a later revision than was ever given. */
  readonly ahead: number;
}

export interface RolloutStatus {
  readonly revision: number;
  readonly phase: 'Planned' | 'Running' | 'Paused' | 'Finished';
  readonly since: number;
  readonly startTime: number;
  readonly reason?: StopReason;
  readonly outcome?: Outcome;
  readonly message?: string;
  /** Who or what asked for it. */
  readonly requestedBy: string;
  /** What made it necessary, in words for people. */
  readonly trigger: string;
  readonly steps: readonly StepStatus[];
  /** What it waits for; never empty unless it is finished. */
  readonly waits: readonly Wait[];
}

export interface StepStatus {
  readonly name: string;
  readonly fate: 'ahead' | 'open' | 'passed' | 'cleared';
  readonly targets: number;
  readonly done: number;
  readonly failed: number;
  readonly underWay: number;
  /** The gate that it stands at. */
  readonly gate?: { readonly id: string; readonly type: string; readonly since: number };
}
