import type { TargetId } from '#protocol/targets';
import type { GateAsk } from '../gates/gate.ts';
import type { Outcome, StopReason } from './phase.ts';

/**
 * A request by the machine. Every action may be carried out twice. Each action that expects an answer gets a event as
 * its answer, whatever the outcome.
 */
export type Action =
  | DeliveryAction
  /** Answered by `gateAnswered` with the same gate and revision. */
  | GateAsk
  /**
   * Requests a `clock` at that time. One timer is enough: an earlier one replaces it, and a later one is never requested.
   */
  | { readonly kind: 'setTimer'; readonly at: number }
  /** The rollout no longer waits for the gate: its approval request or watch can be closed. */
  | { readonly kind: 'closeGate'; readonly gate: string }
  /** Requests a new rollout with the content of the previous revision. This rollout is over. */
  | { readonly kind: 'rollback'; readonly reason: StopReason; readonly message: string }
  /** The last action. The targets in `owed` did not get what they should have, and get it when they are back. */
  | { readonly kind: 'finish'; readonly outcome: Outcome; readonly owed: readonly TargetId[] };

export type DeliveryAction =
  /** Answered by `delivered`, `deliveryFailed`, `rejected` or `generateFailed`. */
  | { readonly kind: 'generateAndDeliver'; readonly target: TargetId; readonly revision: number }
  /** Answered by `removed` or `removeFailed`. */
  | { readonly kind: 'remove'; readonly target: TargetId; readonly revision: number }
  /** The rollout no longer waits for these targets. An answer may still arrive. */
  | { readonly kind: 'cancelDeliveries'; readonly targets: readonly TargetId[] };
