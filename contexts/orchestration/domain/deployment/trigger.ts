import type { TargetId } from '#protocol/targets';
import type { TargetCause } from '../placement/removal-cause.ts';

export const SPEC_AXES = ['manifest', 'placement', 'rollout'] as const;
/** What a patch touched. `manifest` takes in all that is generated from: config, namespace, health rules, drift policy. */
export type SpecAxis = (typeof SPEC_AXES)[number];

/** Something that may make another rollout necessary. Kept until a plan has taken it into account. */
export type Trigger =
  /** Somebody changed it, or created it. */
  | { readonly kind: 'spec'; readonly axes: readonly SpecAxis[]; readonly by: string; readonly isNew?: true }
  /** A target came, left or changed in what placement sees; the causes are those of a loss. */
  | { readonly kind: 'target'; readonly target: TargetId; readonly causes: readonly TargetCause[] }
  /** A target changed in a field that the manifest reads, or an addon says that its output would differ. */
  | { readonly kind: 'regenerate'; readonly targets?: readonly TargetId[]; readonly why: string }
  | { readonly kind: 'scores' }
  | { readonly kind: 'drift'; readonly target: TargetId }
  /** One that is owed something is back, or somebody asked for those that failed to be tried again. */
  | { readonly kind: 'owed'; readonly targets?: readonly TargetId[]; readonly by: string }
  | {
      readonly kind: 'rollback';
      readonly to: number;
      readonly paced: boolean;
      readonly by: string;
      readonly reason?: string;
    }
  | { readonly kind: 'confirmRemoval'; readonly targets?: readonly TargetId[]; readonly by: string }
  /** An agent has seen a later revision than was ever given here. */
  | { readonly kind: 'ahead'; readonly target: TargetId; readonly revision: number; readonly by?: string }
  /** An installation behind a target is another one, or lacks what it should have. */
  | { readonly kind: 'rebuilt'; readonly target: TargetId }
  /** For the rollout under way: it ends at once, and deliveries that nobody has taken yet are called back. */
  | { readonly kind: 'abort'; readonly by: string }
  /** For the rollout under way: what is left of it goes by the rollout strategy as it is now. */
  | { readonly kind: 'replan'; readonly by: string }
  /** Those that failed, or these of them, are tried again: in the rollout under way, or by another one. */
  | { readonly kind: 'retry'; readonly targets?: readonly TargetId[]; readonly by: string }
  | { readonly kind: 'delete'; readonly by: string }
  | { readonly kind: 'abandon'; readonly by: string };

/** As it is kept. */
export interface RecordedTrigger {
  readonly id: string;
  readonly time: number;
  readonly trigger: Trigger;
}
