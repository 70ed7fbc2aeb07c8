import type { DeploymentTargetResource } from '#protocol/api';

export type TargetState =
  | 'failed'
  | 'degraded'
  | 'offline'
  | 'owed'
  | 'drifted'
  | 'applying'
  | 'sending'
  | 'queued'
  | 'settling'
  | 'removing'
  | 'leaving'
  | 'pending'
  | 'done';

export type DeliveryState = 'Queued' | 'Sent' | 'Applying' | 'Applied' | 'Removing' | 'Failed' | 'None';

/** The fate of the content, whatever its health: `Applied` says that it is there. */
export function deliveryState({ failure, order, applied }: DeploymentTargetResource): DeliveryState {
  if (order?.kind === 'remove') return 'Removing';
  if (order !== undefined) return DELIVERED[order.state];
  if (failure !== undefined) return 'Failed';
  return applied === undefined ? 'None' : 'Applied';
}

const DELIVERED = { queued: 'Queued', sent: 'Sent', accepted: 'Applying' } as const;
const ORDERED = { queued: 'queued', sent: 'sending', accepted: 'applying' } as const;

/**
 * The state of a target with respect to a revision, or with 0 to any revision, in one word. States that need a person
 * take precedence over normal progress.
 */
export function targetState(target: DeploymentTargetResource, revision: number): TargetState {
  const { failure, order, placed, online, owed, applied, health, drift } = target;
  const isCurrent = applied !== undefined && applied.revision >= revision;
  if (failure !== undefined) return 'failed';
  if (!online && (order !== undefined || !isCurrent || !placed)) return 'offline';
  if (order !== undefined) return order.kind === 'remove' ? 'removing' : ORDERED[order.state];
  if (owed) return 'owed';
  if (!placed) return 'leaving';
  if (health.status === 'Degraded') return 'degraded';
  if (!isCurrent) return 'pending';
  if (!online) return 'offline';
  if (health.status !== 'Available') return 'settling';
  return drift.length > 0 ? 'drifted' : 'done';
}
