import type { TargetId } from '#protocol/targets';

export const EXCLUSION_REASONS = [
  /** It accepts nothing new, and does not have this deployment. */
  'Cordoned',
  /** It is being deprovisioned. */
  'Deprovisioning',
  /** The manifest does not fit targets of its type, or the target does not accept manifests of this type. */
  'UnfitTargetType',
  'UnfitManifestType',
  /** A placement does not select it, or no longer. */
  'NotSelected',
  /** Other targets score higher by more than the hysteresis. */
  'Outscored',
  /** A score that counts was never reported for it, or too long ago. */
  'ScoreUnknown',
  /** It was placed and is no longer in the pool. */
  'Gone',
] as const;
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

/**
 * A target that is not placed although it was, or would be except for this reason. The same problem always has the same
 * message.
 */
export interface Exclusion {
  readonly id: TargetId;
  readonly why: ExclusionReason;
  readonly message: string;
}

/** A target that stays because it is placed already; as a newcomer it would be excluded for this reason. */
export interface Retention {
  readonly id: TargetId;
  readonly why: 'Cordoned' | 'ScoreUnknown';
  readonly message: string;
}
