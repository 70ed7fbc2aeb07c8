import type { Acknowledgement, DeliveryReport, Inventory } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';

/** The result of handing a delivery over to an agent. */
export type Handover = {
  readonly target: TargetId;
  readonly deployment: DeploymentId;
  readonly revision: number;
} & (Acknowledgement | { readonly kind: 'unreachable'; readonly message: string });

/** Incoming information about targets, in the order of arrival. */
export type News =
  | { readonly about: 'report'; readonly report: DeliveryReport }
  | { readonly about: 'handover'; readonly handover: Handover }
  | { readonly about: 'inventory'; readonly inventory: Inventory }
  | { readonly about: 'connection'; readonly target: TargetId; readonly isOnline: boolean };
