import type { TargetId } from '#protocol/targets';

/**
 * What placement may know of a target.
 *
 * DECISION: no connectivity and no health. Placement is about who should have it; an offline target stays placed, and
 * what to do while it is away is the rollout's question.
 */
export interface PlacementView {
  readonly id: TargetId;
  readonly name: string;
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The types of manifest that the target accepts; empty means any. */
  readonly manifestTypes: readonly string[];
  readonly lifecycle: 'Active' | 'Cordoned' | 'Deprovisioning';
}

/** The platform itself, which `local` places on. It is no row of anybody's, and the same on every instance. */
export const LOCAL_TARGET_ID = '00000000-0000-7000-8000-000000000000' as TargetId;
