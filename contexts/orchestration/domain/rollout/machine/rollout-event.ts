import type { Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { GateAnswer } from '../gates/gate.ts';
import type { Plan } from '../plan.ts';
import type { MemberFacts } from './member.ts';

/** An input of the rollout machine. The same input may arrive twice, and inputs it no longer waits for change nothing. */
export type RolloutEvent =
  | { readonly kind: 'started' }
  /**
   * The agent reported that the target has the content of a revision; without one, of the rollout's own. `changed` is
   * false when it had the same content before and nothing was sent.
   */
  | { readonly kind: 'delivered'; readonly target: TargetId; readonly changed: boolean; readonly revision?: number }
  | { readonly kind: 'removed'; readonly target: TargetId }
  | { readonly kind: DeliveryFailure; readonly target: TargetId; readonly message: string }
  /** `revision` is the one the agent reported on, so that health of the old content is not taken for that of the new. */
  | {
      readonly kind: 'healthChanged';
      readonly target: TargetId;
      readonly health: Health;
      readonly revision: number;
      /** Why it is degraded. Only recorded; no decision depends on it. */
      readonly message?: string;
    }
  | { readonly kind: 'connectionChanged'; readonly target: TargetId; readonly isOnline: boolean }
  | {
      readonly kind: 'gateAnswered';
      readonly gate: string;
      readonly revision: number;
      readonly answer: GateAnswer;
    }
  | { readonly kind: 'pause'; readonly by: string; readonly message: string }
  /** Accepts the failures so far, though not for health gates; a gate that said no is opened again. */
  | { readonly kind: 'resume' }
  | { readonly kind: 'abort'; readonly by?: string }
  /** Retries all failed targets, or the ones named; a rollout paused for failures continues. */
  | { readonly kind: 'retry'; readonly targets?: readonly TargetId[] }
  | { readonly kind: 'membershipChanged'; readonly joined: readonly Joiner[]; readonly left: readonly TargetId[] }
  /**
   * Another plan for the rest of the rollout. `facts` are those of targets that are new in the plan; `requesters` are the
   * users who asked for it or wrote the spec it follows.
   */
  | {
      readonly kind: 'replan';
      readonly plan: Plan;
      readonly facts: readonly MemberFacts[];
      readonly requesters?: readonly string[];
    }
  /** There is a newer revision. */
  | { readonly kind: 'superseded'; readonly by: number }
  | { readonly kind: 'clock' };

export type DeliveryFailure = 'deliveryFailed' | 'rejected' | 'generateFailed' | 'removeFailed' | 'fenced';

export interface Joiner extends MemberFacts {
  readonly labels: Readonly<Record<string, string>>;
}
