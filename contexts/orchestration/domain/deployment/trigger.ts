import type { TargetId } from '#protocol/targets';
import type { TargetCause } from '../placement/removal-cause.ts';

export const SPEC_AXES = ['manifest', 'placement', 'rollout'] as const;
/**
 * The parts of the spec that a patch touched. `manifest` covers everything that documents are generated from: config,
 * namespace, health rules, drift policy.
 */
export type SpecAxis = (typeof SPEC_AXES)[number];

/** An event that may make another rollout necessary. Kept until a plan has taken it into account. */
export type Trigger =
  /** The deployment was created or changed. */
  | { readonly kind: 'spec'; readonly axes: readonly SpecAxis[]; readonly by: string; readonly isNew?: true }
  /** A target came, left or changed in a field that placement reads. `causes` may justify its removal. */
  | { readonly kind: 'target'; readonly target: TargetId; readonly causes: readonly TargetCause[] }
  /** A target changed in a field that the manifest reads, or an addon announced that its output would differ. */
  | { readonly kind: 'regenerate'; readonly targets?: readonly TargetId[]; readonly why: string }
  | { readonly kind: 'scores' }
  | { readonly kind: 'drift'; readonly target: TargetId }
  /** A target that is owed content is back, or a retry of failed targets was requested. */
  | { readonly kind: 'owed'; readonly targets?: readonly TargetId[]; readonly by: string }
  | {
      readonly kind: 'rollback';
      readonly to: number;
      readonly paced: boolean;
      readonly by: string;
      readonly reason?: string;
    }
  | { readonly kind: 'confirmRemoval'; readonly targets?: readonly TargetId[]; readonly by: string }
  /** An agent has seen a later revision than was ever issued here. */
  | { readonly kind: 'ahead'; readonly target: TargetId; readonly revision: number; readonly by?: string }
  /** The installation behind a target was replaced, or lacks content that it should have. */
  | { readonly kind: 'rebuilt'; readonly target: TargetId }
  /** For the rollout under way: it ends at once, and deliveries that no agent has accepted yet are recalled. */
  | { readonly kind: 'abort'; readonly by: string }
  /** For the rollout under way: the rest of it follows the rollout strategy as it is now. */
  | { readonly kind: 'replan'; readonly by: string }
  /** Retries all failed targets, or the ones named: in the rollout under way, or in a new one. */
  | { readonly kind: 'retry'; readonly targets?: readonly TargetId[]; readonly by: string }
  | { readonly kind: 'delete'; readonly by: string }
  | { readonly kind: 'abandon'; readonly by: string };

/** A trigger as it is stored. */
export interface RecordedTrigger {
  readonly id: string;
  readonly time: number;
  readonly trigger: Trigger;
}
/**
 * The last pending announcement that the output for a target would differ, as the id of its trigger; empty for none.
 * Content that is the same for all targets is concerned by every announcement.
 */
export function invalidationOf(triggers: readonly RecordedTrigger[]): (target: TargetId | '') => string {
  let ofAny = '';
  let ofAll = '';
  const named = new Map<TargetId, string>();
  for (const { id, trigger } of triggers) {
    if (trigger.kind !== 'regenerate') continue;
    ofAny = id;
    if (trigger.targets === undefined) {
      ofAll = id;
      named.clear();
    }
    for (const target of trigger.targets ?? []) named.set(target, id);
  }
  return (target) => (target === '' ? ofAny : (named.get(target) ?? ofAll));
}
