import type { TargetId } from '#protocol/targets';
import type { Exclusion, ExclusionReason } from './exclusion.ts';

/** Causes that justify removing a deployment from a target. */
export const REMOVAL_CAUSES = [
  /** The deployment was patched: its placement, or the target types its manifest fits. */
  'specPatch',
  /** A label of the target was changed. */
  'relabel',
  /** The target, or a workspace above it, was moved out of the deployment's workspace. */
  'move',
  /** The target was deleted; for the second, after it had been cordoned and emptied. */
  'deleted',
  'cordonAndDelete',
  /** Its infrastructure is being removed, or is gone. */
  'deprovisioned',
  /** Other targets score higher by more than the hysteresis. */
  'outscored',
  /** A user confirmed the removal. */
  'confirmed',
  /** The whole deployment is deleted. */
  'deploymentDeleted',
] as const;
export type RemovalCause = (typeof REMOVAL_CAUSES)[number];

/** Causes that concern single targets. They are recorded when they happen. */
export type TargetCause = Extract<RemovalCause, 'relabel' | 'move' | 'deleted' | 'cordonAndDelete' | 'deprovisioned'>;

/** The causes recorded since the last sure resolution. */
export interface RecordedCauses {
  /** Whether the deployment was patched in a field that affects placement. */
  readonly specPatch: boolean;
  readonly targets: ReadonlyMap<TargetId, readonly TargetCause[]>;
}

/**
 * Which recorded causes justify which exclusion, the most specific first. A cause recorded for another kind of exclusion
 * justifies nothing: a target that was relabelled and later disappears has merely disappeared.
 */
const ACCOUNTS: Readonly<Record<ExclusionReason, readonly (TargetCause | 'specPatch')[]>> = {
  NotSelected: ['relabel', 'specPatch'],
  Outscored: ['specPatch'],
  UnfitTargetType: ['specPatch'],
  // DECISION: an agent that accepts fewer manifest types than before may be wrong after an upgrade. The target keeps its
  // content until the deployment is patched or the removal is confirmed.
  UnfitManifestType: ['specPatch'],
  Deprovisioning: ['deprovisioned'],
  Gone: ['deprovisioned', 'cordonAndDelete', 'deleted', 'move'],
  // Neither removes anything from a target that has it.
  Cordoned: [],
  ScoreUnknown: [],
};

/** The resolution observes these itself, so they need no record. */
const SEEN: Partial<Record<ExclusionReason, RemovalCause>> = {
  Deprovisioning: 'deprovisioned',
  Outscored: 'outscored',
};

/** The target is not there to be cleaned up: it only stops being a member. */
const VANISHED: readonly RemovalCause[] = ['deleted', 'cordonAndDelete', 'deprovisioned'];

export function causeOf({ id, why }: Exclusion, { specPatch, targets }: RecordedCauses): RemovalCause | undefined {
  const own = targets.get(id) ?? [];
  const onRecord = ACCOUNTS[why].find((cause) => (cause === 'specPatch' ? specPatch : own.includes(cause)));
  return onRecord ?? SEEN[why];
}

export function isVanished(cause: RemovalCause): boolean {
  return VANISHED.includes(cause);
}
