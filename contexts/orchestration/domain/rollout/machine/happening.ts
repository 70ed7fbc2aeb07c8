import type { Health } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { GateAnswer } from '../gates/gate.ts';
import type { Plan } from '../plan.ts';
import type { MemberFacts } from './member.ts';

/** What a rollout is told. The same may be told twice, and what it no longer waits for changes nothing. */
export type Happening =
  | { readonly kind: 'started' }
  /** The target has it, as its agent says. `changed` is false when it had the same content before and nothing was sent. */
  | { readonly kind: 'delivered'; readonly target: TargetId; readonly changed: boolean }
  | { readonly kind: 'removed'; readonly target: TargetId }
  | { readonly kind: DeliveryFailure; readonly target: TargetId; readonly message: string }
  /** `revision` is the one that the agent speaks of, so that news of the old content is not taken for the new one's. */
  | {
      readonly kind: 'healthChanged';
      readonly target: TargetId;
      readonly health: Health;
      readonly revision: number;
      /** Why it is degraded: for the record, and nothing follows from it. */
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
  /** What has failed so far is accepted; a gate that said no is asked anew. */
  | { readonly kind: 'resume' }
  | { readonly kind: 'abort'; readonly by?: string }
  /** Those that failed, or some of them, are tried again; the rollout goes on if it paused for failures. */
  | { readonly kind: 'retry'; readonly targets?: readonly TargetId[] }
  | { readonly kind: 'membershipChanged'; readonly joined: readonly Joiner[]; readonly left: readonly TargetId[] }
  /**
   * Another plan for what is left. `facts` are of those who are in it and were not in the old one, `requesters` those who asked
   * for it or wrote what it goes by.
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
