import type { Hold, Waiting } from '../../placement/delta-of.ts';
import type { Exclusion, Retention } from '../../placement/exclusion.ts';
import type { Wait } from '../../rollout/machine/explain-wait.ts';
import type { Outcome, StopReason } from '../../rollout/machine/phase.ts';

export const CONDITION_TYPES = [
  'Placed',
  'Planned',
  'Progressing',
  'Available',
  'Degraded',
  'Drifted',
  'Conflict',
  'Paused',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export interface Condition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  /** The cause in one word, for programs. The README of the context lists them. */
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: number;
  readonly observedGeneration: number;
}

/** The stored state of a deployment apart from its targets. Plain JSON. */
export interface DeploymentStatus {
  readonly conditions: readonly Condition[];
  readonly placement: PlacementStatus;
  readonly counts: TargetCounts;
  /** The latest rollout, under way or finished. */
  readonly rollout?: RolloutStatus;
  /** Why no rollout can be planned: a strategy threw, or the placement is in doubt. */
  readonly trouble?: { readonly reason: string; readonly message: string; readonly since: number };
  /** A rollback or a retry was requested, of which the generation does not tell: the last rollout is not the one for it. */
  readonly awaitsPlan?: true;
}

/** The result of the last sure resolution, and whether there was doubt since. */
export interface PlacementStatus {
  readonly kind: 'unresolved' | 'sure' | 'unsure';
  /** Why it is unsure. */
  readonly why?: string;
  readonly excluded: readonly Exclusion[];
  readonly retained: readonly Retention[];
  readonly missing: readonly string[];
  /** Targets that would leave, and wait for a recorded cause or for `:confirmRemoval`. */
  readonly held: readonly Hold[];
  /** Newcomers that wait until held targets have left; absent if there are none. */
  readonly waiting?: readonly (Waiting & { readonly name: string })[];
}

/** Maintained incrementally: the cost of a change does not depend on the number of targets. */
export interface TargetCounts {
  readonly placed: number;
  /** Placed targets that have the content they should have and are available. */
  readonly available: number;
  readonly degraded: number;
  /** On their way, and not available yet. Absent in counts stored before it was known. */
  readonly progressing?: number;
  /** Health not known: no report since the target was changed or came back. */
  readonly unknown: number;
  readonly offline: number;
  /** An order was decided and has not ended. */
  readonly underWay: number;
  readonly failed: number;
  /** No longer placed, but still has content. */
  readonly leaving: number;
  readonly drifted: number;
  /** The agent has seen a later revision than this platform ever issued. */
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
  /** The user or component that asked for it. */
  readonly requestedBy: string;
  /** The cause of the rollout, in words for people. */
  readonly trigger: string;
  readonly steps: readonly StepStatus[];
  /** The things the rollout waits for; never empty unless it is finished. */
  readonly waits: readonly Wait[];
}

export interface StepStatus {
  readonly name: string;
  readonly fate: 'ahead' | 'open' | 'passed' | 'cleared';
  readonly targets: number;
  readonly done: number;
  readonly failed: number;
  readonly underWay: number;
  /** The gate that the rollout is waiting at. */
  readonly gate?: { readonly id: string; readonly type: string; readonly since: number };
}
