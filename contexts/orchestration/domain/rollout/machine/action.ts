import type { TargetId } from '#protocol/targets';
import type { GateAsk } from '../gates/gate.ts';
import type { Outcome, StopReason } from './phase.ts';

/**
 * What the machine wants done. Every action may be done twice. Each that asks for something is answered by a happening,
 * whatever becomes of it.
 */
export type Action =
  | DeliveryAction
  /** Answered by `gateAnswered` with the same gate and revision. */
  | GateAsk
  /** A `clock` at that time. One timer is enough: an earlier one replaces it, a later one is never asked for. */
  | { readonly kind: 'setTimer'; readonly at: number }
  /** Nobody waits for the gate any longer: its approval request or its watch can go. */
  | { readonly kind: 'closeGate'; readonly gate: string }
  /** A new rollout with the content of the revision before this one. This rollout is over. */
  | { readonly kind: 'rollback'; readonly reason: StopReason; readonly message: string }
  /** The last action. `owed` did not get what they should have: it is brought to them when they are back. */
  | { readonly kind: 'finish'; readonly outcome: Outcome; readonly owed: readonly TargetId[] };

export type DeliveryAction =
  /** Answered by `delivered`, `deliveryFailed`, `rejected` or `generateFailed`. */
  | { readonly kind: 'generateAndDeliver'; readonly target: TargetId; readonly revision: number }
  /** Answered by `removed` or `removeFailed`. */
  | { readonly kind: 'remove'; readonly target: TargetId; readonly revision: number }
  /** Nobody waits for these any longer. An answer may come all the same. */
  | { readonly kind: 'cancelDeliveries'; readonly targets: readonly TargetId[] };
