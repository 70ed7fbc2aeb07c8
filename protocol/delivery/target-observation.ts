import type { Uuid } from '#kit/std';
import type { TargetId } from '../targets/index.ts';
import type { Acknowledgement } from './delivery-order.ts';
import type { DeliveryReport, Inventory } from './delivery-report.ts';

/** The result of handing an order over to an agent. */
export type Handover = {
  readonly target: TargetId;
  readonly deployment: Uuid;
  readonly revision: number;
} & (Acknowledgement | { readonly kind: 'unreachable'; readonly message: string });

/** Anything that the platform learns about a target from its side. */
export type TargetObservation =
  | { readonly about: 'report'; readonly report: DeliveryReport }
  | { readonly about: 'handover'; readonly handover: Handover }
  | { readonly about: 'inventory'; readonly inventory: Inventory }
  /**
   * Without `isOnline`: it may have changed, and counts as the platform has it when the observation is stored. What was read
   * before may be outdated by then, and would undo the inventory of a target that has reconnected.
   */
  | { readonly about: 'connection'; readonly target: TargetId; readonly isOnline?: boolean };
