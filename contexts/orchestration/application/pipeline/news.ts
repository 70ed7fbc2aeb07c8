import type { Acknowledgement, DeliveryReport, Inventory } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';

/** What became of handing a delivery over. */
export type Handover = {
  readonly target: TargetId;
  readonly deployment: DeploymentId;
  readonly revision: number;
} & (Acknowledgement | { readonly kind: 'unreachable'; readonly message: string });

/** Something that is told of targets, in the order in which it was heard. */
export type News =
  | { readonly about: 'report'; readonly report: DeliveryReport }
  | { readonly about: 'handover'; readonly handover: Handover }
  | { readonly about: 'inventory'; readonly inventory: Inventory }
  | { readonly about: 'connection'; readonly target: TargetId; readonly isOnline: boolean };
