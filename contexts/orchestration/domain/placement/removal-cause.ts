import type { TargetId } from '#protocol/targets';
import type { Exclusion, ExclusionReason } from './exclusion.ts';

/** Why a target may lose what it has. */
export const REMOVAL_CAUSES = [
  /** The deployment was patched: its placement, or what its manifest fits. */
  'specPatch',
  /** A label of the target was changed. */
  'relabel',
  /** The target, or a workspace above it, was moved out of the deployment's. */
  'move',
  /** The target was deleted; the second, after it had been cordoned and emptied. */
  'deleted',
  'cordonAndDelete',
  /** Its infrastructure goes away, or has gone. */
  'deprovisioned',
  /** Others score higher by more than the hysteresis. */
  'outscored',
  /** A person looked and agreed. */
  'confirmed',
  /** The whole deployment goes. */
  'deploymentDeleted',
] as const;
export type RemovalCause = (typeof REMOVAL_CAUSES)[number];

/** What happens to a deployment's targets, one by one, and is written down when it does. */
export type TargetCause = Extract<RemovalCause, 'relabel' | 'move' | 'deleted' | 'cordonAndDelete' | 'deprovisioned'>;

/** What was written down since the last sure resolution. */
export interface RecordedCauses {
  /** Whether the deployment was patched in what decides where it goes. */
  readonly specPatch: boolean;
  readonly targets: ReadonlyMap<TargetId, readonly TargetCause[]>;
}

/**
 * Which causes on record account for which loss, the most telling first. One that is on record for another loss accounts
 * for none: a target that was relabelled and then is not found is a target that is not found.
 */
const ACCOUNTS: Readonly<Record<ExclusionReason, readonly (TargetCause | 'specPatch')[]>> = {
  NotSelected: ['relabel', 'specPatch'],
  Outscored: ['specPatch'],
  UnfitTargetType: ['specPatch'],
  // DECISION: that an agent takes fewer types of manifest than yesterday is what it says of itself, and it may be wrong
  // after an upgrade. What the target has stays until somebody patches the deployment or agrees.
  UnfitManifestType: ['specPatch'],
  Deprovisioning: ['deprovisioned'],
  Gone: ['deprovisioned', 'cordonAndDelete', 'deleted', 'move'],
  // Neither takes anything away from one that has it.
  Cordoned: [],
  ScoreUnknown: [],
};

/** What the resolution has seen for itself needs no other record. */
const SEEN: Partial<Record<ExclusionReason, RemovalCause>> = {
  Deprovisioning: 'deprovisioned',
  Outscored: 'outscored',
};

/** The target is not there to be emptied: it only ceases to be a member. */
const VANISHED: readonly RemovalCause[] = ['deleted', 'cordonAndDelete', 'deprovisioned'];

export function causeOf({ id, why }: Exclusion, { specPatch, targets }: RecordedCauses): RemovalCause | undefined {
  const own = targets.get(id) ?? [];
  const onRecord = ACCOUNTS[why].find((cause) => (cause === 'specPatch' ? specPatch : own.includes(cause)));
  return onRecord ?? SEEN[why];
}

export function isVanished(cause: RemovalCause): boolean {
  return VANISHED.includes(cause);
}
