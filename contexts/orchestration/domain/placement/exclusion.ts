import type { TargetId } from '#protocol/targets';

export const EXCLUSION_REASONS = [
  /** It gets nothing new, and does not have this. */
  'Cordoned',
  /** It is on its way out. */
  'Deprovisioning',
  /** The manifest does not fit targets of its type, or it does not take manifests of this type. */
  'UnfitTargetType',
  'UnfitManifestType',
  /** A placement does not select it, or no longer. */
  'NotSelected',
  /** Others score so much higher that the hysteresis does not save it. */
  'Outscored',
  /** A score that counts was never reported for it, or too long ago. */
  'ScoreUnknown',
  /** It was placed and is not in the pool any more. */
  'Gone',
] as const;
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

/** A target that is not placed, though it was, or would be but for this. The same problem has the same message. */
export interface Exclusion {
  readonly id: TargetId;
  readonly why: ExclusionReason;
  readonly message: string;
}

/** A target that stays since it is placed already: as a newcomer it would not be, for this reason. */
export interface Retention {
  readonly id: TargetId;
  readonly why: 'Cordoned' | 'ScoreUnknown';
  readonly message: string;
}
