import type { TargetId } from '#protocol/targets';

/**
 * The fields of a target that placement may read.
 *
 * DECISION: no connectivity and no health. Placement decides which targets should have a deployment; an offline target
 * stays placed, and the rollout decides what to do while it is away.
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

/** The platform itself, selected by `local`. It has no row in the table of targets, and the same id on every instance. */
export const LOCAL_TARGET_ID = '00000000-0000-7000-8000-000000000000' as TargetId;
